import { RunnerError } from '../../../base/errors.ts';
import { GatewayApi } from '../../../tenant/gateway/gateway-api.ts';
import { sessionValue } from '../../../tenant/sign-in/establish-session.ts';
import { useSession } from '../../../tenant/sign-in/still-signed-in.ts';
import { readSession, writeSession } from '../../../tenant/state/session-file.ts';
import { type AtGateway, atGateway, type GatewayCommand } from './at-gateway.ts';

/** Does `work` with the session that was kept. Where there is none, `otherwise` may know what to do. */
export async function signedIn(
  command: GatewayCommand,
  work: (api: GatewayApi, gateway: AtGateway) => Promise<void>,
  otherwise: (gateway: AtGateway) => Promise<boolean> = async () => false,
): Promise<void> {
  await atGateway(command, async (gateway) => {
    const { profile, stateFolder, newClient } = gateway;
    const kept = await readSession(stateFolder);
    if (kept === null || kept.gateway !== profile.gateway) {
      if (await otherwise(gateway)) return;
      const where = kept === null ? '' : ` there, but at ${kept.gateway}`;
      throw new RunnerError(
        'Unauthorized',
        `not signed in at ${profile.gateway}${where}; see tenant sign-in --help`,
      );
    }
    await using client = newClient();
    useSession(kept, client);
    try {
      await work(new GatewayApi(profile, kept, client), gateway);
    } finally {
      // the gateway may renew the cookie with any answer
      const value = sessionValue(profile, client);
      const isRenewed = value !== undefined && value !== kept.cookie.value;
      if (isRenewed && (await readSession(stateFolder)) !== null) {
        await writeSession(stateFolder, { ...kept, cookie: { ...kept.cookie, value } });
      }
    }
  });
}

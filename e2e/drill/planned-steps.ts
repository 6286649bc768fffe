import type { Step } from '../../src/workflow/workflow.ts';
import type { SeededRandom } from './random.ts';

/** A step with all that is known of it beforehand. */
export interface PlannedStep {
  readonly step: Step;
  /** Every byte that it prints. */
  readonly output: string;
  readonly exitCode: number;
}

interface Piece {
  readonly script: string;
  readonly output: string;
}

/** Each leaves its name in /outputs/ran, so that one that ran twice is found out. */
export function planSteps(random: SeededRandom): PlannedStep[] {
  const count = random.between(3, 5);
  return Array.from({ length: count }, (_, index) => {
    const name = `step-${index}`;
    const pieces = Array.from({ length: random.between(2, 4) }, () => piece(random, name));
    const isLast = index === count - 1;
    const exitCode = random.chance(isLast ? 0.2 : 0.1) ? random.between(2, 120) : 0;
    const scripts = [
      `echo ${name} >>/outputs/ran`,
      random.chance(0.3) ? padding(random.between(20, 120)) : '',
      ...pieces.map(({ script }) => script),
      exitCode === 0 ? '' : `exit ${exitCode}`,
    ];
    return {
      step: {
        name,
        command: scripts.filter((script) => script !== '').join('\n'),
        environment: {},
        secrets: 'all',
        timeoutMs: undefined,
        continueOnError: !isLast && exitCode !== 0,
        always: false,
      },
      output: pieces.map(({ output }) => output).join(''),
      exitCode,
    };
  });
}

function piece(random: SeededRandom, name: string): Piece {
  switch (random.between(0, 7)) {
    case 0:
      return { script: `sleep ${random.between(1, 3)}`, output: '' };
    case 1: {
      const length = random.between(10_000, 300_000);
      return {
        script: `head -c ${length} /dev/zero | tr '\\0' x; echo`,
        output: `${'x'.repeat(length)}\n`,
      };
    }
    case 2:
      return { script: `printf 'no newline of ${name}'`, output: `no newline of ${name}` };
    case 3: {
      const first = random.between(1, 1_000);
      const rounds = Array.from({ length: random.between(3, 8) }, (_, round) => first + round * 10);
      return {
        script: `for n in ${rounds.join(' ')}; do seq $n $((n + 9)); sleep 0.3; done`,
        output: rounds.map((from) => lines(from, from + 9)).join(''),
      };
    }
    case 4:
      return { script: 'cat /work/numbers', output: checkoutNumbers };
    default: {
      const first = random.between(1, 1_000);
      const last = first + random.between(100, 30_000);
      return { script: `seq ${first} ${last}`, output: lines(first, last) };
    }
  }
}

const lines = (first: number, last: number): string =>
  Array.from({ length: last - first + 1 }, (_, at) => `${first + at}\n`).join('');

/** A comment of so many kilobytes, so that sending the script takes a while. */
const padding = (kilobytes: number): string => `# ${'-'.repeat(1021)}\n`.repeat(kilobytes).trimEnd();

/** What the checkout's file `numbers` holds. */
export const checkoutNumbers = lines(1, 2_000);

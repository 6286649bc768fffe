/** Whether an API server is on this machine. */
export const isNear = (server: string): boolean =>
  /^https?:\/\/(localhost|127\.[0-9.]+|\[::1\])(:|\/|$)/.test(server);

import { writeSync } from 'node:fs'

/**
 * Tells the supervisor, on descriptor 3, that clients can connect. The descriptor stays open: its end tells that this process has
 * ended. Only the supervisor ends it: Ctrl-C reaches it too.
 */
export function reportListening(): void {
  process.on('SIGINT', () => undefined)
  writeSync(3, 'listening\n')
}

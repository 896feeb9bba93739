import { createRequire } from 'node:module'

/**
 * The module `node:http`. An import of it reads all its exports, among them WebSocket, for which Node loads a client of its own: three
 * times the time of the start of Node itself.
 */
export const http: typeof import('node:http') = createRequire(import.meta.url)('node:http')

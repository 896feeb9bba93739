/** The network of the runtime. Nothing else connects: the network of a cluster decides what its objects reach. */
import { connect } from 'cloudflare:sockets'
import type { Network } from './network.ts'

/** Everything that the runtime reaches. */
export const runtimeNetwork: Network = { connect, fetch: (url, init) => fetch(url, init) }

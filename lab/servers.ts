/** The servers that a command asks: Edgeplane and kube-apiserver, running or started for it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, clientOf } from '../test/client.ts'
import { type ServerOptions, startServer } from '../test/server.ts'
import { required, text, type Values } from './command.ts'
import { startReference } from './peers.ts'

/** The options that name the server of ours. */
export const serverOptions = {
  server: text('URL', 'a running server; without it the command starts one'),
  token: text('T', "the token of that server's administrator", ''),
}

/** The options that name kube-apiserver. */
export const referenceOptions = {
  reference: required(
    text('URL|DIR', 'a running kube-apiserver, or the folder of the program that starts one for the command (start.mjs)'),
  ),
  referenceToken: text('T', 'the token of an administrator of that kube-apiserver', ''),
}

/** The server of a command. */
export interface Subject extends Client {
  /** Its process, if the command has started it. */
  readonly pid?: number
}

/** Calls a function with the server that the options name. */
export async function withServer<T>(
  { server, token }: Values<typeof serverOptions>,
  act: (server: Subject) => Promise<T>,
  options: ServerOptions = {},
): Promise<T> {
  if (server !== undefined) return await withClient(clientOf({ url: server, token }), act)
  const started = await startServer(options)
  try {
    return await withClient(clientOf(started), (client) => act({ ...client, pid: started.pid }))
  } finally {
    await started.stop()
  }
}

async function withClient<T>(client: Client, act: (client: Client) => Promise<T>): Promise<T> {
  try {
    return await act(client)
  } finally {
    client.close()
  }
}

/**
 * Calls a function with the kube-apiserver that the options name.
 * @param flags of kube-apiserver, if the command starts it
 */
export async function withReference<T>(
  { reference, referenceToken }: Values<typeof referenceOptions>,
  act: (reference: Client) => Promise<T>,
  flags: readonly string[] = [],
): Promise<T> {
  if (/^https?:/.test(reference)) return await withClient(clientOf({ url: reference, token: referenceToken }), act)
  const data = mkdtempSync(join(tmpdir(), 'edgeplane-reference-'))
  const peer = await startReference(reference, data, flags)
  try {
    return await withClient(clientOf(peer), act)
  } finally {
    await peer.end()
    rmSync(data, { recursive: true, force: true })
  }
}

/** Calls a function with the server of ours and with kube-apiserver, started if they do not run. */
export const withBoth = <T>(
  values: Values<typeof serverOptions & typeof referenceOptions>,
  act: (ours: Subject, theirs: Client) => Promise<T>,
): Promise<T> => withReference(values, (theirs) => withServer(values, (ours) => act(ours, theirs)))

/** Starts a server with temporary data for a script. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'

const root = join(import.meta.dirname, '..')

/**
 * Starts a server; returns it with a function that stops it.
 * @param onOutput receives the server's log, which otherwise goes to this program's stderr
 */
export async function startServer(
  onOutput?: (text: string) => void,
): Promise<{ url: string; token: string; pid: number; stop: () => void }> {
  const port = await freePort()
  const data = mkdtempSync(join(tmpdir(), 'edgeplane-differential-'))
  const child = spawn(
    process.execPath,
    [join(root, 'bin', 'edgeplane.mjs'), 'start', '--port', String(port), '--data-dir', data],
    {
      stdio: ['ignore', 'pipe', onOutput === undefined ? 'inherit' : 'pipe'],
    },
  )
  if (onOutput !== undefined) {
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => onOutput(chunk.toString()))
  }
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('ready')) resolve()
    })
    child.on('exit', (code) => reject(new Error(`the server ended with ${code}`)))
  })
  const stop = (): void => {
    child.kill('SIGTERM')
    child.on('exit', () => rmSync(data, { recursive: true, force: true }))
  }
  const token = readFileSync(join(data, 'admin-token'), 'utf8').trim()
  return { url: `https://127.0.0.1:${port}`, token, pid: child.pid ?? 0, stop }
}

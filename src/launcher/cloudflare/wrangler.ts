/** Runs wrangler, Cloudflare's command line tool, which knows the account. */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LauncherError } from '../launcher-error.ts'

/** The root of the package. */
export const packageRoot = dirname(dirname(fileURLToPath(import.meta.url)))

/**
 * Returns wrangler's package.json: of the project in which the command runs, or of this package.
 * @throws LauncherError if it is not installed
 */
export function wranglerPackage(): string {
  for (const from of [join(process.cwd(), 'package.json'), join(packageRoot, 'package.json')]) {
    try {
      return createRequire(from).resolve('wrangler/package.json')
    } catch {
      // The next place.
    }
  }
  throw new LauncherError('wrangler is missing: run `npm install --save-dev wrangler` here, and try again.')
}

/** The oldest major version of Node on which wrangler runs. */
const oldestNode = 22

/** The options of a run. */
interface WranglerRun {
  readonly directory?: string
  readonly environment?: Readonly<Record<string, string>>
  /** `collect` returns the output and shows it only if wrangler fails. */
  readonly output?: 'show' | 'collect'
}

/**
 * Runs wrangler, which may ask the person at the terminal to log in. Resolves to its standard output.
 * @throws LauncherError if it fails; it has printed the reason
 */
export async function runWrangler(args: readonly string[], run: WranglerRun = {}): Promise<string> {
  if (Number(process.versions.node.split('.')[0]) < oldestNode) {
    throw new LauncherError(`wrangler needs Node ${oldestNode} or newer, and this is ${process.version}.`)
  }
  const { directory = process.cwd(), environment = {}, output = 'show' } = run
  const child = spawn(process.execPath, [join(dirname(wranglerPackage()), 'bin/wrangler.js'), ...args], {
    cwd: directory,
    stdio: ['inherit', 'pipe', output === 'show' ? 'inherit' : 'pipe'],
    env: { WRANGLER_SEND_METRICS: 'false', ...process.env, ...environment },
  })
  let text = ''
  let errors = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    if (output === 'show') process.stdout.write(chunk)
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  const code = await new Promise<number>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (exitCode) => resolve(exitCode ?? 1))
  })
  if (code === 0) return text
  if (output === 'collect') process.stderr.write(text + errors)
  throw new LauncherError(`wrangler ${args[0] ?? ''} failed: its message is above.`)
}

import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { LauncherError, reasonOf } from './launcher-error.ts'

const packages: Readonly<Record<string, string>> = {
  'darwin arm64': '@cloudflare/workerd-darwin-arm64/bin/workerd',
  'darwin x64': '@cloudflare/workerd-darwin-64/bin/workerd',
  'linux arm64': '@cloudflare/workerd-linux-arm64/bin/workerd',
  'linux x64': '@cloudflare/workerd-linux-64/bin/workerd',
}

/**
 * Gives the path of workerd's executable: EDGEPLANE_WORKERD, or the one of the installed npm package for this platform, because the
 * command in node_modules/.bin may be a Node script that would stay in memory.
 * @throws LauncherError if it is missing
 */
export function workerdBinary(): string {
  const path = process.env.EDGEPLANE_WORKERD ?? installed()
  try {
    accessSync(path, constants.X_OK)
    return path
  } catch (error) {
    throw new LauncherError(`workerd is missing (${path}: ${reasonOf(error)}): run \`npm install\`.`)
  }
}

function installed(): string {
  const platform = `${process.platform} ${process.arch}`
  const file = packages[platform]
  if (file === undefined) throw new LauncherError(`workerd does not run on ${platform}.`)
  try {
    return createRequire(createRequire(import.meta.url).resolve('workerd')).resolve(file)
  } catch {
    throw new LauncherError('workerd is missing: run `npm install`.')
  }
}

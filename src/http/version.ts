/** GET /version: the release that this server emulates, and its build. */
import type { ResourceConfig } from '../catalog/resource-config.ts'
import { renderJson } from '../encoding/json.ts'
import { noCache } from './codec/headers.ts'
import { checkGetRoute, routes } from './codec/route-media-types.ts'
import { withoutTrailingSlashes } from './path.ts'

/** The build of this server. Clients only display it. */
export interface BuildInfo {
  readonly gitCommit: string
  readonly gitTreeState: 'clean' | 'dirty'
  /** RFC 3339. */
  readonly buildDate: string
  readonly goVersion: string
  readonly compiler: string
  readonly platform: string
}

/** The build of a server that runs from sources and not from a release. */
export const sourceBuild: BuildInfo = {
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: 'edgeplane',
  platform: 'workerd',
}

/** The release that this server implements. Clients refuse or warn because of its major and minor version. */
export const release = { major: '1', minor: '36', gitVersion: 'v1.36.3' } as const

/** The release whose API a cluster serves, and the oldest one whose components it works with. */
export type EffectiveVersion = Pick<ResourceConfig, 'release' | 'minimumCompatibility'>

/** Returns the emulated release as /version shows it. The version of the server itself stays the same, as in kube-apiserver. */
function emulation({ release: emulated, minimumCompatibility }: EffectiveVersion) {
  return {
    emulationMajor: String(emulated[0]),
    emulationMinor: String(emulated[1]),
    minCompatibilityMajor: String(minimumCompatibility[0]),
    minCompatibilityMinor: String(minimumCompatibility[1]),
  }
}

/**
 * Returns the response to /version, or undefined for other paths. It is always indented JSON. Throws ApiError 405, 406, 415.
 * @param emulated the versions of the cluster
 */
export function serveVersionInfo(
  request: Request,
  path: string,
  build: BuildInfo,
  emulated: EffectiveVersion,
): Response | undefined {
  if (withoutTrailingSlashes(path) !== '/version') return undefined
  checkGetRoute(request, routes.version)
  const { gitCommit, gitTreeState, buildDate, goVersion, compiler, platform } = build
  const { major, minor, gitVersion } = release
  const info = {
    major,
    minor,
    ...emulation(emulated),
    gitVersion,
    gitCommit,
    gitTreeState,
    buildDate,
    goVersion,
    compiler,
    platform,
  }
  return new Response(renderJson(info, true), { headers: { ...noCache, 'Content-Type': 'application/json' } })
}

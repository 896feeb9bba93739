/** Which kinds the release knows, served or not: a body that names another one is refused in other words. */
import { registered } from './generated/registered.ts'

/** Options that every version knows besides its own kinds. */
const everywhere = ['CreateOptions', 'DeleteOptions', 'GetOptions', 'ListOptions', 'PatchOptions', 'UpdateOptions', 'WatchEvent']

let all: ReadonlySet<string> | undefined

/** Whether `<apiVersion>/<kind>` is known. */
export function isRegistered(apiVersion: string, kind: string): boolean {
  all ??= new Set(
    Object.entries(registered).flatMap(([version, kinds]) =>
      [...kinds.split(' '), ...everywhere].map((name) => `${version}/${name}`),
    ),
  )
  return all.has(`${apiVersion}/${kind}`)
}

/** Reads facts about the strategies and stores of kube-apiserver's resources that are constants in their Go sources. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { VersionTable } from '../../src/schema/tables.ts'
import type { StrategyFacts } from '../tables/version-text.ts'
import { type GoModules, moduleOf } from './modules.ts'

/** Folders with a strategy.go whose name is not that of their kind. */
const KINDS: Readonly<Record<string, string>> = { endpoint: 'endpoints', storagemigration: 'storageversionmigration' }

/**
 * Returns the constant that a method of the resource's main strategy returns: `true`, `rest.Unsupported`. Returns undefined if it
 * is not a constant.
 */
function constantOf(source: string, method: string): string | undefined {
  const [, main] =
    /^(?:var|\t)\s*Strategy\s+= &?(\w+)\{/m.exec(source) ?? /^func NewStrategy\([^)]*\)\s+\*?(\w+)/m.exec(source) ?? []
  const body = new RegExp(`^func \\((?:\\w+ )?\\*?${main}\\) ${method}\\([^)]*\\) [\\w.]+ \\{\\n([\\s\\S]*?)^\\}`, 'm').exec(
    source,
  )?.[1]
  const returned = [...(body ?? '').matchAll(/^\t+return ([\w.]+)$/gm)].map(([, value]) => value)
  return returned.at(-1)
}

function factsOf(folder: string): StrategyFacts {
  const source = readFileSync(join(folder, 'strategy.go'), 'utf8')
  const stores = ['storage/storage.go', 'etcd/etcd.go', 'etcd.go']
    .map((file) => join(folder, file))
    .filter((file) => existsSync(file))
  const store = stores.map((file) => readFileSync(file, 'utf8')).join('')
  const policy = constantOf(source, 'DefaultGarbageCollectionPolicy')?.replace('rest.', '') ?? 'DeleteDependents'
  return {
    ...(constantOf(source, 'AllowCreateOnUpdate') === 'true' && { allowCreateOnUpdate: true }),
    ...(constantOf(source, 'AllowUnconditionalUpdate') === 'false' && { allowUnconditionalUpdate: false }),
    ...(policy !== 'DeleteDependents' && { garbageCollection: policy }),
    ...(/ReturnDeletedObject:\s+true/.test(store) && { returnsDeletedObject: true }),
  }
}

/** Returns the folders that contain a strategy, by `<package>/<folder>`. */
function strategyFolders(modules: GoModules): Map<string, string> {
  const registry = join(moduleOf(modules, 'k8s.io/kubernetes').dir, 'pkg/registry')
  const others = {
    'apiextensions/customresourcedefinition': join(
      moduleOf(modules, 'k8s.io/apiextensions-apiserver').dir,
      'pkg/registry/customresourcedefinition',
    ),
    'apiregistration/apiservice': join(moduleOf(modules, 'k8s.io/kube-aggregator').dir, 'pkg/registry/apiservice'),
  }
  const own = readdirSync(registry, { recursive: true, encoding: 'utf8' }).filter((file) => /^\w+\/\w+\/strategy\.go$/.test(file))
  return new Map([
    ...own.map((file) => [file.replace('/strategy.go', ''), join(registry, file, '..')] as const),
    ...Object.entries(others),
  ])
}

/** Returns the facts of each served collection that differ from the default strategy, by `<resource>[.<group>]`. */
export function strategyFacts(modules: GoModules, served: readonly VersionTable[]): ReadonlyMap<string, StrategyFacts> {
  const folders = strategyFolders(modules)
  const found = new Map<string, StrategyFacts>()
  for (const { package: name, group, resources } of served) {
    for (const { resource, kind } of resources) {
      const folder = [...folders].find(([path]) => {
        const [package_, own = ''] = path.split('/')
        return package_ === name && (KINDS[own] ?? own) === kind.toLowerCase()
      })
      const facts = folder === undefined ? {} : factsOf(folder[1])
      if (Object.keys(facts).length > 0) found.set(group === '' ? resource : `${resource}.${group}`, facts)
    }
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}

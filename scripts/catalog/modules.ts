/** The Go modules from which the catalogue is generated: their folders, and the packages in them that contain API types. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of the Go program. Its go.mod names the modules and their versions, its go.sum the hashes of their contents. */
export const extractFolder: string = join(import.meta.dirname, 'extract')

const MODULES = [
  'k8s.io/api',
  'k8s.io/apiextensions-apiserver',
  'k8s.io/apimachinery',
  'k8s.io/client-go',
  'k8s.io/kube-aggregator',
] as const

/**
 * The module with the internal types. extract/go.mod cannot name it, because it requires modules of the same repository in
 * versions that do not exist outside of it. `go` verifies it against its own checksum database.
 */
const KUBERNETES = { path: 'k8s.io/kubernetes', version: 'v1.36.3' } as const

type ModulePath = (typeof MODULES)[number] | typeof KUBERNETES.path

/** A downloaded module. */
interface GoModule {
  readonly version: string
  readonly dir: string
}

export type GoModules = ReadonlyMap<ModulePath, GoModule>

/** A package with API types, in the format that the Go program reads. */
export interface PackageSource {
  /** The folder of its files. */
  readonly dir: string
  /** Its import path. */
  readonly path: string
  /** `<package>/<version>`, as type references name it. */
  readonly name: string
  /** The folder of its typed clients, or empty. */
  readonly clients: string
}

/** Packages outside k8s.io/api, with their modules. */
const OTHER_PACKAGES: readonly { module: ModulePath; folder: string; name: string; clients?: string }[] = [
  ...['v1', 'v1beta1'].map((version) => ({
    module: 'k8s.io/apiextensions-apiserver' as const,
    folder: `pkg/apis/apiextensions/${version}`,
    name: `apiextensions/${version}`,
    clients: `pkg/client/clientset/clientset/typed/apiextensions/${version}`,
  })),
  ...['v1', 'v1beta1'].map((version) => ({
    module: 'k8s.io/kube-aggregator' as const,
    folder: `pkg/apis/apiregistration/${version}`,
    name: `apiregistration/${version}`,
    clients: `pkg/client/clientset_generated/clientset/typed/apiregistration/${version}`,
  })),
  ...['v1', 'v1beta1'].map((version) => ({
    module: 'k8s.io/apimachinery' as const,
    folder: `pkg/apis/meta/${version}`,
    name: `meta/${version}`,
  })),
]

/**
 * Downloads the modules that extract/go.mod names, and k8s.io/kubernetes, unless they are in the module cache.
 * @throws Error if `go` fails
 */
export function downloadModules(): GoModules {
  const found = [...download(MODULES), ...download([`${KUBERNETES.path}@${KUBERNETES.version}`])]
  return new Map(
    [...MODULES, KUBERNETES.path].map((path) => {
      const module = found.find((m) => m.Path === path)
      if (module === undefined) throw new Error(`go did not download ${path}`)
      return [path, { version: module.Version, dir: module.Dir }]
    }),
  )
}

function download(modules: readonly string[]): { Path: string; Version: string; Dir: string }[] {
  const output = execFileSync('go', ['mod', 'download', '-json', ...modules], { cwd: extractFolder, encoding: 'utf8' })
  return JSON.parse(`[${output.replaceAll(/^\}\n\{$/gm, '},\n{')}]`)
}

/**
 * Downloads versions of modules: `k8s.io/api@v0.19.16`. Returns their folders.
 * @throws Error if `go` fails
 */
export function downloadVersions(modules: readonly string[]): Map<string, string> {
  return new Map(download(modules).map(({ Path, Version, Dir }) => [`${Path}@${Version}`, Dir]))
}

/**
 * Returns the module with this path.
 * @throws Error if it is not one of our modules
 */
export function moduleOf(modules: GoModules, path: ModulePath): GoModule {
  const module = modules.get(path)
  if (module === undefined) throw new Error(`no module ${path}`)
  return module
}

/** Returns all packages with API types, sorted by name. */
export function packageSources(modules: GoModules): PackageSource[] {
  return [...apiPackages(modules), ...otherPackages(modules)].sort((a, b) => (a.name < b.name ? -1 : 1))
}

function apiPackages(modules: GoModules): PackageSource[] {
  const api = moduleOf(modules, 'k8s.io/api').dir
  const typed = join(moduleOf(modules, 'k8s.io/client-go').dir, 'kubernetes', 'typed')
  return folders(api).flatMap((group) =>
    folders(join(api, group))
      .filter((version) => existsSync(join(api, group, version, 'register.go')))
      .map((version) => ({
        dir: join(api, group, version),
        path: `k8s.io/api/${group}/${version}`,
        name: `${group}/${version}`,
        clients: existing(join(typed, group, version)),
      })),
  )
}

function otherPackages(modules: GoModules): PackageSource[] {
  return OTHER_PACKAGES.map(({ module, folder, name, clients }) => ({
    dir: join(moduleOf(modules, module).dir, folder),
    path: `${module}/${folder}`,
    name,
    clients: clients === undefined ? '' : join(moduleOf(modules, module).dir, clients),
  }))
}

function folders(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
}

function existing(dir: string): string {
  return existsSync(dir) ? dir : ''
}

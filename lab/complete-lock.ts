/**
 * Completes package-lock.json after `npm install` from a registry that does not have every platform's packages: npm omits optional
 * packages that it could not find from the lock file, and `npm ci` then refuses the file everywhere. The added entries are derived
 * from the platform in the packages' names; they are never fetched on this machine.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { command } from './command.ts'
import { root } from './root.ts'

interface Entry {
  readonly dev?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

interface Lock {
  readonly packages: Readonly<Record<string, Entry>>
}

/** The restrictions of a package to platforms. */
interface Platform {
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
}

// Words of package names for which npm has other words.
const systems: Readonly<Record<string, string>> = { windows: 'win32' }
const machines: Readonly<Record<string, string>> = { 64: 'x64' }
const knownSystems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
  'windows',
]
const knownMachines = [
  '64',
  'arm',
  'arm64',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'ppc64le',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
]

/** Returns the platform of a package `@scope/name-linux-arm64-musl`. */
function platformOf(name: string): Platform {
  const words = (name.split('/').at(-1) ?? '').split('-')
  const system = words.find((word) => knownSystems.includes(word))
  const machine = words.find((word) => knownMachines.includes(word))
  const libc = words.find((word) => word === 'gnu' || word === 'musl')
  return {
    ...(system !== undefined && { os: [systems[system] ?? system] }),
    ...(machine !== undefined && { cpu: [machines[machine] ?? machine] }),
    ...(libc !== undefined && { libc: [libc === 'gnu' ? 'glibc' : 'musl'] }),
  }
}

/** Returns the entries of the packages for other platforms that a lock file lacks. */
function missingFrom({ packages }: Lock): Readonly<Record<string, Entry>> {
  const missing: Record<string, Entry> = {}
  for (const [path, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const places = [`${path}/node_modules/${name}`, `node_modules/${name}`]
      if (places.some((place) => place in packages)) continue
      const platform = platformOf(name)
      if (Object.keys(platform).length === 0) continue
      const added = { version, ...(entry.dev && { dev: true }), ...platform, optional: true }
      missing[`node_modules/${name}`] = added
    }
  }
  return missing
}

export default command({
  run() {
    const file = join(root, 'package-lock.json')
    const lock = JSON.parse(readFileSync(file, 'utf8')) as Lock
    const missing = missingFrom(lock)
    const packages = Object.fromEntries(Object.entries({ ...lock.packages, ...missing }).sort(([a], [b]) => (a < b ? -1 : 1)))
    writeFileSync(file, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`)
    console.log(`${Object.keys(missing).length} packages of other platforms added`)
  },
})

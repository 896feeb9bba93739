// Completes package-lock.json after `npm install` from a registry that does not have every platform's packages: npm omits
// optional packages that it could not find from the lock file, and `npm ci` then refuses the file everywhere. The added entries
// are derived from the platform in the packages' names; they are never fetched on this machine.
//
//   node scripts/complete-lock.mjs
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const file = join(import.meta.dirname, '..', 'package-lock.json')
const lock = JSON.parse(readFileSync(file, 'utf8'))

// Words of package names for which npm has other words.
const systems = { windows: 'win32' }
const machines = { 64: 'x64' }
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
function platformOf(name) {
  const words = name.split('/').at(-1).split('-')
  const system = words.find((word) => knownSystems.includes(word))
  const machine = words.find((word) => knownMachines.includes(word))
  const libc = words.find((word) => word === 'gnu' || word === 'musl')
  return {
    ...(system !== undefined && { os: [systems[system] ?? system] }),
    ...(machine !== undefined && { cpu: [machines[machine] ?? machine] }),
    ...(libc !== undefined && { libc: [libc === 'gnu' ? 'glibc' : 'musl'] }),
  }
}

const added = {}
for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const places = [`${path}/node_modules/${name}`, `node_modules/${name}`]
    if (places.some((place) => place in lock.packages)) continue
    const platform = platformOf(name)
    if (Object.keys(platform).length === 0) continue
    added[`node_modules/${name}`] = { version, ...(entry.dev && { dev: true }), ...platform, optional: true }
  }
}
lock.packages = Object.fromEntries(Object.entries({ ...lock.packages, ...added }).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
console.log(`${Object.keys(added).length} packages of other platforms added`)

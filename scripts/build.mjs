#!/usr/bin/env node
// Bundles src/worker.ts to modules in dist and src/launcher/main.ts to dist/launcher.cjs, each only if its sources have changed.
// Used as a program (`npm run build [-- --force --clean]`) and by bin/edgeplane.mjs, for which the check must be cheap: a stamp beside
// each bundle lists its sources with sizes and times.

import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { sources as tableSources } from './tables.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'dist')
const ownFiles = ['scripts/build.mjs', 'scripts/deferred.mjs', 'src/launcher/capnp.ts', 'src/launcher/workerd-schema.ts']

/** The generator of src/config/validators.mjs: the module to run, and its sources. */
const validators = {
  run: 'scripts/validators.mjs',
  sources: [
    'scripts/validators.mjs',
    ...['authentication', 'authorization', 'audit-policy'].map((name) => `src/config/schemas/${name}.json`),
    ...['admission', 'pod-security', 'resource-quota', 'webhook-admission'].map((name) => `src/config/schemas/${name}.json`),
    ...['event-rate-limit', 'image-policy', 'pod-node-selector'].map((name) => `src/config/schemas/${name}.json`),
    'src/config/schemas/pod-toleration-restriction.json',
  ],
}

/** The generator of src/catalog/generated. */
const tables = { run: 'scripts/tables.mjs', sources: tableSources() }

/** The generator of all files that are not committed. */
const everything = {
  run: 'scripts/openapi.mjs',
  sources: [
    ...['openapi', 'descriptions', 'release'].map((name) => `scripts/${name}.mjs`),
    ...['models', 'options', 'packages'].map((part) => `scripts/descriptions/${part}.mjs`),
    ...tables.sources,
    ...validators.sources,
  ],
}

/**
 * The bundle of a program that runs in Node. It is one CommonJS file: Node takes a millisecond for each ES module, and an import of one
 * of its own modules reads all exports, also those for which Node loads further modules: streams for node:fs, a client of WebSockets
 * for node:http. Modules that are imported later are functions in the same file.
 */
const program = (entry, { generators = [validators], copies = [] } = {}) => ({
  entry,
  apart: [],
  deferred: () => ({}),
  packs: false,
  copies,
  generators,
  options: {
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    define: { 'import.meta.url': 'moduleUrl' },
    banner: { js: "const moduleUrl=require('node:url').pathToFileURL(__filename).href;" },
    minifyWhitespace: true,
    minifySyntax: true,
  },
})

/** The structs of the tables in a folder of the generated ones. The files are made by the generator, so it must have run. */
const structsOf = (folder) => {
  const tables = join(root, 'src/catalog/generated')
  return readdirSync(join(tables, 'structs'))
    .filter((file) => exists(join(tables, folder, file)))
    .map((file) => `src/catalog/generated/structs/${file}`)
}

const bundles = {
  worker: {
    entry: 'src/worker.ts',
    // V8's memory for compiling a module is never returned by workerd's allocator: a single module would cost 8 MB more. Each of
    // these files is bundled separately with its imports.
    apart: ['src/http/app.ts', 'src/registry/collection.ts'],
    // A start needs none of these, and most requests that only read do not either.
    deferred: () => ({
      bootstrap: ['src/controllers/bootstrap/collections.ts'],
      connections: ['src/http/verbs/connect/pod-streams.ts', 'src/http/verbs/connect/proxy.ts', 'src/net/tls/client.ts'],
      descriptions: ['src/catalog/descriptions/describe.ts'],
      expressions: [
        'src/auth/authorization-configuration.ts',
        'src/auth/cel-program.ts',
        'src/auth/oidc/expressions.ts',
        'src/controllers/validating-admission-policy-status/reconcile.ts',
        'src/crd/rules/compile-rule.ts',
      ],
      jwt: ['src/auth/jwt/claims.ts', 'src/auth/jwt/keys.ts', 'src/auth/jwt/signature.ts'],
      openapi: ['src/http/openapi/serve.ts'],
      seldom: [
        'src/catalog/lifecycle-rows.ts',
        'src/catalog/older-types.ts',
        'src/cbor/read.ts',
        'src/config/feature-gate-history.ts',
        'src/config/schema-errors.ts',
        'src/http/administration/serve.ts',
        ...structsOf('unserved'),
      ],
      tables: ['src/catalog/printers/printers.ts'],
      testing: ['src/http/testing/clusters.ts', 'src/http/testing/filters.ts'],
      types: structsOf('.'),
      writes: [
        'src/catalog/warnings/warnings.ts',
        'src/crd/kind.ts',
        'src/crd/schema/pattern.ts',
        'src/http/audit/read-policy.ts',
        'src/registry/admission/chain.ts',
        'src/registry/apply.ts',
        'src/registry/existing-pods.ts',
        'src/registry/patch.ts',
        'src/registry/strategies/registered.ts',
      ],
      yaml: ['src/yaml/parse.ts'],
    }),
    packs: true,
    copies: [],
    generators: [everything],
    options: {
      platform: 'neutral',
      target: 'es2024',
      conditions: ['workerd', 'worker', 'browser', 'import'],
      mainFields: ['browser', 'module', 'main'],
      external: ['node:*', 'cloudflare:*'],
      splitting: true,
      entryNames: '[name]-[hash]',
      chunkNames: 'worker-[name]-[hash]',
      // A server holds several copies of its source: shortened names save a quarter.
      minify: true,
    },
  },
  launcher: program('src/launcher/main.ts', { generators: [tables, validators], copies: ['src/launcher/supervise.sh'] }),
  again: program('src/launcher/start-again.ts'),
  front: program('src/launcher/proxy/front.ts'),
  envtest: program('src/launcher/envtest/main.ts', { generators: [tables, validators] }),
}

/**
 * Makes sure that a bundle ('worker' or 'launcher') exists and is newer than its sources; returns the paths of its modules, the
 * entry first.
 */
export async function ensureBundle(name, { force = false } = {}) {
  if (force || !isCurrent(name)) await build(name)
  return readStamp(name).modules.map((module) => join(dist, module))
}

function isCurrent(name) {
  try {
    const { inputs, modules, copies } = readStamp(name)
    return (
      Object.entries(inputs).every(([input, mark]) => markOf(input) === mark) &&
      [...modules, ...copies].every((output) => exists(join(dist, output)))
    )
  } catch {
    return false
  }
}

async function build(name) {
  const { entry, apart, packs, options, copies, generators } = bundles[name]
  for (const { run } of generators) await (await import(pathToFileURL(join(root, run)).href)).generate()
  const deferred = bundles[name].deferred()
  const { build } = await import('esbuild')
  const { deferredModules, entryOfGroup, withOutputNames } = await import('./deferred.mjs')
  const parts = [
    ...apart.map((file) => [`${name}-${file.slice('src/'.length, -'.ts'.length).replaceAll('/', '-')}`, file]),
    ...Object.keys(deferred).map((group) => [`${name}-${group}`, entryOfGroup(group)]),
  ]
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: { [name]: entry, ...Object.fromEntries(parts) },
    outdir: dist,
    bundle: true,
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'error',
    legalComments: 'none',
    plugins: [deferredModules(root, deferred)],
    ...options,
  })
  mkdirSync(dist, { recursive: true })
  const former = formerModules(name)
  const groups = Object.keys(deferred).map(entryOfGroup)
  const modules = modulesFrom([entry, ...groups], metafile.outputs)
  const names = outputNames(groups, metafile.outputs)
  for (const { path, text } of outputFiles) {
    if (modules.includes(basename(path))) replace(path, (temporary) => writeFileSync(temporary, withOutputNames(text, names)))
  }
  const packed = packs ? await packModules(modules) : []
  for (const file of copies) replace(join(dist, basename(file)), (temporary) => copyFileSync(join(root, file), temporary))
  // Installed packages change only with the lock file.
  const own = Object.keys(metafile.inputs).filter((input) => !/node_modules\/|^(?:deferred|caller):/.test(input))
  const inputs = Object.fromEntries(
    [...own, ...copies, ...generators.flatMap(({ sources }) => sources), ...ownFiles, 'package-lock.json'].map((input) => [
      input,
      markOf(input),
    ]),
  )
  const stamp = { inputs, modules, copies: [...packed, ...copies.map((file) => basename(file))] }
  replace(stampPath(name), (temporary) => writeFileSync(temporary, JSON.stringify(stamp)))
  for (const module of former) if (![...modules, ...stamp.copies].includes(module)) rmSync(join(dist, module), { force: true })
}

// Writes the modules as workerd's configurations contain them; gives the names of the files.
async function packModules(modules) {
  const { modulesFile, packModules: pack } = await import('../src/launcher/workerd-config.ts')
  const paths = modules.map((module) => join(dist, module))
  const file = modulesFile(paths[0])
  replace(file, (temporary) => writeFileSync(temporary, pack(paths).bytes))
  return [basename(file)]
}

function formerModules(name) {
  try {
    const { modules, copies } = readStamp(name)
    return [...modules, ...copies]
  } catch {
    return []
  }
}

/** Gives the names of the outputs of entry points. */
function outputNames(entries, outputs) {
  const found = Object.entries(outputs).filter(([, { entryPoint }]) => entries.includes(entryPoint))
  return Object.fromEntries(found.map(([output, { entryPoint }]) => [entryPoint, basename(output)]))
}

// Returns the modules that the entries need, the first one first: separately bundled modules are outputs of their own.
function modulesFrom(entries, outputs) {
  const needed = entries.flatMap((entry) => Object.keys(outputs).filter((output) => outputs[output].entryPoint === entry))
  for (const output of needed) {
    const more = outputs[output].imports.filter(({ path, external }) => !external && !needed.includes(path))
    needed.push(...new Set(more.map(({ path }) => path)))
  }
  return needed.map((output) => basename(output))
}

// Another start may be reading or building the file at the same time.
function replace(path, write) {
  const temporary = `${path}.${process.pid}.tmp`
  write(temporary)
  renameSync(temporary, path)
}

function stampPath(name) {
  return join(dist, `${name}.stamp.json`)
}

function readStamp(name) {
  return JSON.parse(readFileSync(stampPath(name), 'utf8'))
}

function markOf(file) {
  const stat = statSync(join(root, file), { throwIfNoEntry: false })
  return stat === undefined ? 'none' : `${stat.size} ${stat.mtimeMs}`
}

function exists(path) {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

function printSizes(name) {
  const { modules, copies } = readStamp(name)
  for (const output of [...modules, ...copies]) {
    const bytes = readFileSync(join(dist, output))
    const kilobytes = (size) => `${(size / 1024).toFixed(1).padStart(8)} KiB`
    console.log(`${`dist/${output}`.padEnd(36)}${kilobytes(bytes.length)}${kilobytes(gzipSync(bytes).length)} gzip`)
  }
}

/** Removes the modules of former builds, which a package must not contain. */
function clean() {
  const current = Object.keys(bundles).flatMap((name) => [
    ...readStamp(name).modules,
    ...readStamp(name).copies,
    basename(stampPath(name)),
  ])
  for (const { name } of readdirSync(dist, { withFileTypes: true }).filter((entry) => entry.isFile()))
    if (!current.includes(name)) rmSync(join(dist, name))
}

async function main(args) {
  const force = args.includes('--force')
  for (const name of Object.keys(bundles)) {
    await ensureBundle(name, { force })
    printSizes(name)
  }
  if (args.includes('--clean')) clean()
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(process.argv.slice(2)).catch((error) => {
    // esbuild has already printed the errors in the sources.
    if (!Array.isArray(error.errors)) throw error
    process.exitCode = 1
  })
}

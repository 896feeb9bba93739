#!/usr/bin/env node
import module from 'node:module'

// An import of these would read all their exports, for which Node loads further modules.
const require = module.createRequire(import.meta.url)
const { existsSync, readFileSync } = require('node:fs')
const { homedir } = require('node:os')
const { join } = require('node:path')
const { fileURLToPath } = require('node:url')

const root = fileURLToPath(new URL('..', import.meta.url))
const isCheckout = existsSync(join(root, 'src'))

/** Gives the paths of a bundle's modules, the entry first. A checkout builds them if the sources have changed; a package contains them. */
async function bundle(name) {
  if (isCheckout) return await (await import('../scripts/build.mjs')).ensureBundle(name)
  const { modules } = JSON.parse(readFileSync(join(root, 'dist', `${name}.stamp.json`), 'utf8'))
  return modules.map((file) => join(root, 'dist', file))
}

/** What the launcher needs of its program. */
const program = {
  script: fileURLToPath(import.meta.url),
  bundleWorker: async () =>
    process.env.EDGEPLANE_WORKER === undefined ? await bundle('worker') : [process.env.EDGEPLANE_WORKER],
  bundleFront: () => bundle('front'),
  bundleAssets: async () => {
    for (const name of ['worker', 'envtest']) await bundle(name)
  },
}

/** Repeats the last start if this one is the same. Sources that have changed are built first: the record tells by the bundles. */
async function startedAgain() {
  if (process.argv[2] !== 'start') return undefined
  if (isCheckout) for (const built of [program.bundleWorker, program.bundleFront]) await built()
  const [again] = await bundle('again')
  return await require(again).startAgain()
}

try {
  // Node 22.1 and newer keep the compiled code. The directory belongs to this user: others must not put code there.
  module.enableCompileCache?.(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'edgeplane/node'))
  const [launcher] = await bundle('launcher')
  process.exitCode = (await startedAgain()) ?? (await require(launcher).main(process.argv.slice(2), program))
} catch (error) {
  // esbuild has printed what is wrong in the sources; an install without the development tools has no esbuild.
  if (Array.isArray(error.errors)) console.error('edgeplane: The sources do not build.')
  else if (error.code === 'ERR_MODULE_NOT_FOUND')
    console.error(`edgeplane: ${error.message.split('\n')[0]}: run \`npm install\`.`)
  else throw error
  process.exitCode = 1
}

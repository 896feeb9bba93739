#!/usr/bin/env node
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ensureBundle } from '../scripts/build.mjs'

try {
  const [launcher] = await ensureBundle('launcher')
  const { main } = await import(pathToFileURL(launcher).href)
  process.exitCode = await main(process.argv.slice(2), {
    script: fileURLToPath(import.meta.url),
    bundleWorker: async () =>
      process.env.EDGEPLANE_WORKER === undefined ? await ensureBundle('worker') : [process.env.EDGEPLANE_WORKER],
  })
} catch (error) {
  // esbuild has printed what is wrong in the sources; an install without the development tools has no esbuild.
  if (Array.isArray(error.errors)) console.error('edgeplane: The sources do not build.')
  else if (error.code === 'ERR_MODULE_NOT_FOUND')
    console.error(`edgeplane: ${error.message.split('\n')[0]}: run \`npm install\`.`)
  else throw error
  process.exitCode = 1
}

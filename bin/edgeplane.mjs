#!/usr/bin/env node
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ensureBundle } from '../scripts/build.mjs'

try {
  const { main } = await import(pathToFileURL(await ensureBundle('launcher')).href)
  process.exitCode = await main(process.argv.slice(2), {
    script: fileURLToPath(import.meta.url),
    bundleWorker: async () => process.env.EDGEPLANE_WORKER ?? (await ensureBundle('worker')),
  })
} catch (error) {
  // esbuild has printed what is wrong in the sources; an install without the development tools has no esbuild.
  if (Array.isArray(error.errors)) console.error('edgeplane: The sources do not build.')
  else if (error.code === 'ERR_MODULE_NOT_FOUND')
    console.error(`edgeplane: ${error.message.split('\n')[0]}: run \`npm install\`.`)
  else throw error
  process.exitCode = 1
}

#!/usr/bin/env node
// Runs `wrangler deploy` with the given arguments, and then makes the first request to the deployment. Durable Objects stay where
// they were first asked for (unless LOCATION is set): near the person who deploys, and not near the first scanner.

import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Runs wrangler and shows its output. Resolves to its exit code and the output. */
function runWrangler(args) {
  const script = join(dirname(createRequire(import.meta.url).resolve('wrangler/package.json')), 'bin/wrangler.js')
  const child = spawn(process.execPath, [script, 'deploy', ...args], { cwd: root, stdio: ['inherit', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
    process.stdout.write(chunk)
  })
  return new Promise((resolve) => child.on('exit', (code) => resolve({ code: code ?? 1, output })))
}

/** Returns the address in wrangler's list of triggers: `https://NAME.workers.dev`, or a custom domain. */
function addressIn(output) {
  const [, workers, domain] = /^\s+(?:(https:\/\/\S+)|(\S+) \(custom domain\))\s*$/m.exec(output) ?? []
  return workers ?? (domain === undefined ? undefined : `https://${domain}`)
}

/** A new name takes a few seconds to be known everywhere. */
const attempts = 20
const pause = 1500

async function firstRequest(address) {
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(`${address}/readyz`).catch(() => undefined)
    if (answer?.ok) return true
    if (attempt === attempts) return false
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

const { code, output } = await runWrangler(process.argv.slice(2))
process.exitCode = code
const address = addressIn(output)
if (code === 0 && address !== undefined) {
  const isReady = await firstRequest(address)
  console.log(isReady ? `edgeplane: ready at ${address}` : `edgeplane: ${address}/readyz does not answer yet`)
  if (!isReady) process.exitCode = 1
}

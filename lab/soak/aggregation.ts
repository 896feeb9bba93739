/**
 * Tells a story of other API servers and of nodes with real programs: k8s.io/sample-apiserver, the API layer of metrics-server and
 * the streaming server of kubelets, built from Go modules, with kubectl. The transcript must be that of kube-apiserver:
 *
 *   npm run soak:aggregation [-- --kubectl PATH]
 *   npm run soak:aggregation -- --record DIR     writes transcript.txt; DIR contains the program that starts kube-apiserver (start.mjs)
 *
 * kubectl has to be of the emulated release: others word some lines in another way.
 *
 * The first run builds the programs, which takes some minutes; they are kept in ~/.cache/edgeplane-aggregation. Needs Go.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { frontProxyFlags } from '../../../bench/front-proxy-flags.ts'
import { startReference } from '../../../bench/peers.ts'
import { freePort } from '../../../scripts/free-port.ts'
import { unifiedDiff } from '../../../src/go/unified-diff.ts'
import { release } from '../../../src/http/version.ts'
import { makeAuthority } from '../../http/certificate-authority.ts'
import { startServer } from '../../server.ts'
import { story } from './story.ts'
import { type Programs, type Subject, World } from './world.ts'

const { values } = parseArgs({ options: { record: { type: 'string' }, kubectl: { type: 'string', default: 'kubectl' } } })
const sources = join(import.meta.dirname, 'servers')
const recorded = join(import.meta.dirname, 'transcript.txt')

/** Builds the programs, or finds those that have been built of the same sources. */
function programs(): Programs {
  const hash = createHash('sha256')
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) => /\.go$|^go\./.test(file))
  for (const file of files.sort()) hash.update(readFileSync(join(sources, file)))
  const folder = join(homedir(), '.cache/edgeplane-aggregation', hash.digest('hex').slice(0, 16))
  const found = { kubectl: values.kubectl, servers: join(folder, 'servers'), kubelet: join(folder, 'kubelet') }
  if (existsSync(found.servers) && existsSync(found.kubelet)) return found
  console.log('building the programs, once …')
  mkdirSync(folder, { recursive: true })
  const build = (output: string, from: string): void =>
    void execFileSync('go', ['build', '-buildvcs=false', '-o', output, from], { cwd: sources, stdio: 'inherit' })
  build(found.kubelet, './kubelet')
  build(found.servers, '.')
  return found
}

async function subjectOf(kubeconfig: string): Promise<Subject> {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const address = all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address
  if (address === undefined) throw new Error('this machine has loopback addresses only')
  const [sample, metrics, kubelet, web, forwarded] = await Promise.all(Array.from({ length: 5 }, () => freePort()))
  const ports = { sample, metrics, kubelet, web, forwarded } as Subject['ports']
  return { kubeconfig, ports, address }
}

/** Tells the story and returns its transcript. */
async function transcriptOf(kubeconfig: string, folder: string): Promise<string> {
  const authority = await makeAuthority('kubelets')
  const { certificate, key } = await authority.issue([['CN', 'kubelet']], { usage: 'serverAuth', names: ['machine'] })
  writeFileSync(join(folder, 'kubelet.crt'), certificate)
  writeFileSync(join(folder, 'kubelet.key'), key)
  const world = new World(programs(), await subjectOf(kubeconfig), folder)
  let transcript = ''
  try {
    for (const [name, chapter] of Object.entries(story)) {
      transcript += `# ${name}\n${await chapter(world)}`
      console.log(`told: ${name}`)
    }
  } catch (error) {
    console.error(transcript)
    for (const file of readdirSync(folder).filter((each) => each.endsWith('.log')))
      console.error(`${file}:\n${readFileSync(join(folder, file), 'utf8').slice(-2000)}`)
    throw error
  } finally {
    await world.killAll()
  }
  return transcript
}

/** Returns the version of a kubectl. */
function releaseOf(kubectl: string): string {
  const text = execFileSync(kubectl, ['version', '--client', '--output=json'], { encoding: 'utf8' })
  return (JSON.parse(text) as { clientVersion: { gitVersion: string } }).clientVersion.gitVersion
}

async function record(reference: string, folder: string): Promise<void> {
  const { child } = await startReference(reference, join(folder, 'reference'), await frontProxyFlags(folder))
  try {
    writeFileSync(recorded, await transcriptOf(join(folder, 'reference/kubeconfig'), folder))
  } finally {
    child.kill('SIGTERM')
  }
}

async function compare(folder: string): Promise<void> {
  const server = await startServer()
  try {
    const transcript = await transcriptOf(server.kubeconfig, folder)
    const expected = readFileSync(recorded, 'utf8')
    if (transcript === expected) console.log('the transcript is that of kube-apiserver')
    else {
      console.log(unifiedDiff(expected, transcript))
      console.log(`the transcript was recorded with kubectl ${release.gitVersion}; this is ${releaseOf(values.kubectl)}`)
      process.exitCode = 1
    }
  } finally {
    await server.stop()
  }
}

const folder = mkdtempSync(join(tmpdir(), 'aggregation-'))
try {
  if (values.record === undefined) await compare(folder)
  else await record(values.record, folder)
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}

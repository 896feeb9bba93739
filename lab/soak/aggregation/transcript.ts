/** The transcript of a story of other API servers and of nodes, with real programs, which are built once. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir, networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { makeAuthority } from '../../../test/http/certificate-authority.ts'
import { freePort } from '../../free-port.ts'
import { story } from './story.ts'
import { type Programs, type Subject, World } from './world.ts'

const sources = join(import.meta.dirname, 'servers')
export const recorded = join(import.meta.dirname, 'transcript.txt')

/** Builds the programs, or finds those that have been built of the same sources. */
function programsWith(kubectl: string): Programs {
  const hash = createHash('sha256')
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) => /\.go$|^go\./.test(file))
  for (const file of files.sort()) hash.update(readFileSync(join(sources, file)))
  const folder = join(homedir(), '.cache/edgeplane-aggregation', hash.digest('hex').slice(0, 16))
  const built = { kubectl, servers: join(folder, 'servers'), kubelet: join(folder, 'kubelet') }
  if (existsSync(built.servers) && existsSync(built.kubelet)) return built
  console.log('building the programs, once …')
  mkdirSync(folder, { recursive: true })
  const build = (output: string, from: string): void =>
    void execFileSync('go', ['build', '-buildvcs=false', '-o', output, from], { cwd: sources, stdio: 'inherit' })
  build(built.kubelet, './kubelet')
  build(built.servers, '.')
  return built
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
export async function transcriptOf(kubeconfig: string, kubectl: string, folder: string): Promise<string> {
  const authority = await makeAuthority('kubelets')
  const { certificate, key } = await authority.issue([['CN', 'kubelet']], { usage: 'serverAuth', names: ['machine'] })
  writeFileSync(join(folder, 'kubelet.crt'), certificate)
  writeFileSync(join(folder, 'kubelet.key'), key)
  const world = new World(programsWith(kubectl), await subjectOf(kubeconfig), folder)
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
export function releaseOf(kubectl: string): string {
  const text = execFileSync(kubectl, ['version', '--client', '--output=json'], { encoding: 'utf8' })
  return (JSON.parse(text) as { clientVersion: { gitVersion: string } }).clientVersion.gitVersion
}

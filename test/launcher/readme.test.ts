/**
 * Every command for users that the README names is started here, as it is written, or by the test that is named: a command that is
 * documented is one that works.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { freePort } from '../../lab/free-port.ts'
import { Api } from '../../src/launcher/api.ts'
import { commands } from '../../src/launcher/commands.ts'
import { releases } from '../clients/releases.ts'
import { eventually } from '../eventually.ts'
import { descendants, killIfRunning, running } from './harness.ts'

const root = resolve(import.meta.dirname, '../..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'edgeplane-readme-'))
const hasKubectl = releases().length > 0
// npm puts the Node of the project first, too.
const path = [dirname(process.execPath), process.env.PATH].join(delimiter)
const environment = { ...process.env, PATH: path, XDG_CACHE_HOME: join(folder, 'cache') }

/** A server that npm has started. */
interface Started {
  readonly child: ChildProcess
  readonly kubeconfig: string
}

const servers = new Set<ChildProcess>()
/** The processes of servers that were told to end. */
const ending = new Set<number>()

/** Starts a server by npm, and waits until it has printed how to use it. */
async function serve(...args: readonly string[]): Promise<Started> {
  const child = spawn('npm', args, { cwd: root, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  servers.add(child)
  let output = ''
  const kubeconfig = await new Promise<string>((done, failed) => {
    const add = (chunk: Buffer): void => {
      output += chunk.toString()
      const printed = /export KUBECONFIG=(.*)\n/.exec(output)?.[1]
      if (printed !== undefined) done(printed)
    }
    child.stdout?.on('data', add)
    child.stderr?.on('data', add)
    child.on('exit', (code) => failed(new Error(`npm ${args.join(' ')} ended with ${code}: ${output}`)))
  })
  return { child, kubeconfig }
}

/** Stops a server with a signal to npm alone. Nothing that it has started may be left. */
async function stop({ child }: Started): Promise<void> {
  const processes = descendants(child.pid ?? 0)
  expect(processes.length).toBeGreaterThan(0)
  for (const pid of processes) ending.add(pid)
  child.kill('SIGTERM')
  await once(child, 'exit')
  servers.delete(child)
  await eventually(() => !processes.some(running))
}

afterAll(() => {
  const left = [...servers].flatMap(({ pid = 0 }) => [pid, ...descendants(pid)])
  for (const pid of [...left, ...ending]) if (running(pid)) killIfRunning(pid)
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
})

/** Runs a line of the README in the checkout, with the kubeconfig of a server. Returns its output; its error if it fails. */
const shell = (line: string, kubeconfig: string): Promise<string> =>
  new Promise((done, failed) => {
    const options = { cwd: root, env: { ...environment, KUBECONFIG: kubeconfig }, timeout: 60_000 }
    execFile('bash', ['-c', line], options, (error, stdout, stderr) =>
      error === null ? done(stdout) : failed(new Error(`${line}: ${stdout}${stderr}`)),
    )
  })

const code = /`([^`]+)`/g

/** Returns the code in a text. */
const codeIn = (text: string): string[] => [...text.matchAll(code)].map(([, span = '']) => span)

/**
 * Returns the commands that a purpose names beside the command of its row: `edgeplane undo`, or a choice of its command as in
 * `edgeplane cluster list`.
 */
function commandsBeside(command: string, purpose: string): string[] {
  const own = commands.find(({ name }) => name === /edgeplane (\w+)/.exec(command)?.[1])
  if (own === undefined) return []
  const isChoice = (word: string): boolean => own.argument?.choices?.includes(word) === true
  return codeIn(purpose)
    .filter((span) => /^[a-z]+( [a-z]+)*( --\w+ [A-Z]+)?$/.test(span))
    .map((span) => (isChoice(span) ? `edgeplane ${own.name} ${span}` : `edgeplane ${span}`))
}

/** Returns the commands of the README for users, as it writes them: those of its examples, its text and its first table. */
function commandsOfUsers(): readonly string[] {
  const [text = ''] = readme.split('For work on Edgeplane itself')
  const [prose = '', table = ''] = text.split('| command | purpose |')
  const examples = [...prose.matchAll(/^\$ (.*)$/gm)].map(([, line = '']) => line)
  const spans = codeIn(prose.replace(/^```[\s\S]*?^```/gm, '')).filter((span) => /^(?:npm|npx|export|kubectl) /.test(span))
  const rows = [...table.matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)].flatMap(([, command = '', purpose = '']) => [
    command,
    ...commandsBeside(command, purpose),
  ])
  const all = [...examples, ...spans, ...rows].flatMap((line) => line.split(' && '))
  return [...new Set(all.map((line) => line.replace(/^export \w+=\$\((.*)\)$/, '$1')))].filter(
    (line) => !line.startsWith('export '),
  )
}

/** The command is started by another test, whose file has this text. */
interface Elsewhere {
  readonly file: string
  readonly text: string
}

/** The command is not started by a test, for a reason. */
interface NotStarted {
  readonly because: string
}

/** The server that `npm start` has started. */
let server: Started

const at = (file: string): string => join(folder, file)
const installed = 'npx --no-install edgeplane'
const program = 'node bin/edgeplane.mjs'
const deployTest = (text: string): Elsewhere => ({ file: 'test/launcher/deploy.test.ts', text })

/** Runs a line with the server, and expects a text in its output. */
const line = (command: string, expected: string) => async (): Promise<void> => {
  expect(await shell(command, server.kubeconfig)).toContain(expected)
}

const withKubectl = (command: string, expected: string) =>
  hasKubectl ? line(command, expected) : { because: 'kubectl is missing' }

/** The way in which each command is started, in the order in which they run. */
const ways: Readonly<Record<string, (() => Promise<void>) | Elsewhere | NotStarted>> = {
  'npm ci': { because: 'the tests run with the packages that it has installed' },
  'npm test': { because: 'it runs the tests' },
  'npm start': { because: 'its options keep the port and the directory of the checkout free: the next one' },
  'npm start -- --port 7443 --data-dir D --kubeconfig F': async () => {
    server = await serve('start', '--', '--port', '0', '--data-dir', at('D'), '--kubeconfig', at('F'))
    expect(server.kubeconfig).toBe(at('F'))
  },
  'npm start -- --help': line('npm start -- --help', '--ephemeral'),
  'kubectl get namespaces': withKubectl('kubectl get namespaces', 'kube-system'),
  'kubectl create configmap settings --from-literal=colour=blue': withKubectl(
    'kubectl create configmap settings --from-literal=colour=blue',
    'configmap/settings created',
  ),
  [`${installed} envtest-assets`]: line(`ls $(${installed} envtest-assets)`, 'kube-apiserver'),
  'npm run dev': { file: 'test/launcher/readme.test.ts', text: "test('npm run dev" },
  [`${installed} deploy`]: deployTest("'deploy',"),
  'edgeplane upgrade': deployTest("succeed('upgrade')"),
  'edgeplane status': deployTest("succeed('status')"),
  'edgeplane preview deploy': deployTest("succeed('preview', 'deploy'"),
  'edgeplane destroy': deployTest("succeed('destroy'"),
  [`${installed} cluster create NAME`]: line(`${installed} cluster create blue`, 'the cluster blue is ready'),
  'edgeplane cluster list': line(`${program} cluster list`, 'blue'),
  'edgeplane cluster kubeconfig': line(
    `${program} cluster kubeconfig blue > ${at('blue')} && cat ${at('blue')}`,
    '/clusters/blue',
  ),
  'edgeplane cluster create --from NAME': line(`${program} cluster create copy --from blue`, 'the cluster copy is ready'),
  [`${installed} at -5m -- kubectl get pods`]: line(`${installed} at -0s -- ${hasKubectl ? 'kubectl get pods' : 'echo'}`, ''),
  'edgeplane diff': line(`${program} diff . copy > ${at('diff')} || cat ${at('diff')}`, ''),
  'edgeplane undo': line(`${program} undo --to -0s`, 'there is nothing to write'),
  [`${installed} export DIR`]: line(`${installed} export ${at('DIR')}`, 'objects are in'),
  'edgeplane import': line(`${program} import ${at('DIR')} --kubeconfig ${at('blue')}`, 'objects were imported'),
  [`${installed} preview up`]: line(`${installed} preview up --branch readme`, 'the preview readme is ready'),
  'edgeplane preview down': line(`${program} preview down --branch readme`, 'deleted'),
  'edgeplane preview comment': { file: 'action/preview.yml', text: 'edgeplane preview comment' },
  [`${installed} backup FILE`]: line(`${installed} backup ${at('FILE')}`, ''),
  'edgeplane restore': line(`${program} restore ${at('FILE')} --replace`, ''),
  'edgeplane recover': async () => {
    const recover = shell(`${program} recover --at ${new Date().toISOString()}`, server.kubeconfig)
    await expect(recover).rejects.toThrow('501')
  },
  'edgeplane cluster delete': line(`${program} cluster delete blue`, 'are deleted'),
  'npm pack': { file: 'test/launcher/package.test.ts', text: "'npm', ['pack'" },
}

test('every command for users is started by a test', () => {
  expect(commandsOfUsers().toSorted()).toEqual(Object.keys(ways).toSorted())
  const elsewhere = Object.values(ways).filter((way): way is Elsewhere => 'file' in way)
  for (const { file, text } of elsewhere) expect(readFileSync(join(root, file), 'utf8')).toContain(text)
})

describe.concurrent('The commands', () => {
  test('of a server work as they are written, and it ends with npm', { timeout: 240_000 }, async () => {
    for (const way of Object.values(ways)) if (typeof way === 'function') await way()
    await stop(server)
  })

  test('npm run dev serves, watches, and ends with all that it has started', { timeout: 240_000 }, async () => {
    const dev = await serve('run', 'dev', '--', '--port', String(await freePort()), '--data-dir', at('dev'))
    expect(isAbsolute(dev.kubeconfig)).toBe(true)
    const api = await Api.of(dev.kubeconfig)
    const configMaps = '/api/v1/namespaces/default/configmaps'
    const body = JSON.stringify({ metadata: { name: 'settings' } })
    const watch = await api.open(`${configMaps}?watch=1&fieldSelector=metadata.name=settings`)
    const event = once(watch, 'data')
    await api.send({ method: 'POST', path: configMaps, body })
    expect(String(await event)).toContain('"ADDED"')
    watch.on('error', () => undefined)
    await stop(dev)
    api.close()
  })
})

/** The tarball of `npm pack`, installed without a network in an empty directory. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const directory = mkdtempSync(join(tmpdir(), 'edgeplane-package-'))
const tarball = join(directory, `edgeplane-${version}.tgz`)
const edgeplane = join(directory, 'node_modules/.bin/edgeplane')
// Under npm a server ends with the process that started it.
const { npm_lifecycle_event: _, ...environment } = process.env
const env = { ...environment, PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) }

beforeAll(async () => {
  await run('npm', ['pack', '--silent', '--pack-destination', directory], { cwd: root, env })
  // A registry would have workerd: here it is the one of this checkout.
  const dependencies = { edgeplane: `file:${tarball}`, workerd: `file:${join(root, 'node_modules/workerd')}` }
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ private: true, dependencies }))
  await run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: directory, env })
}, 60_000)

afterAll(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }))

test('is at most 3 MB, contains no sources and needs workerd alone', () => {
  expect(statSync(tarball).size).toBeLessThan(3_000_000)
  const installed = join(directory, 'node_modules/edgeplane')
  expect(readdirSync(installed).sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'action',
    'bin',
    'dist',
    'docs',
    'kits',
    'man',
    'manifests',
    'package.json',
    'wrangler.toml',
  ])
  expect(readdirSync(join(installed, 'dist')).filter((name) => !/\.(?:c?js|modules|stamp\.json|sh)$/.test(name))).toEqual([])
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { dependencies: object }
  expect(Object.keys(dependencies)).toEqual(['workerd'])
})

test('prints its version, help and completions', async () => {
  expect((await run(edgeplane, ['--version'], { env })).stdout).toBe(`${version}\n`)
  expect((await run(edgeplane, ['start', '--help'], { env })).stdout).toContain('--ephemeral')
  const { stdout: help } = await run(edgeplane, ['--help'], { env })
  const names = [...help.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name)
  expect(names).toContain('envtest-assets')
  for (const name of names) expect((await run(edgeplane, [name, '--help'], { env })).stdout).toContain(`Usage: edgeplane ${name}`)
  const { stdout: script } = await run(edgeplane, ['completion', 'bash'], { env })
  const complete = async (...words: string[]): Promise<string[]> => {
    const line = `COMP_WORDS=(edgeplane ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}`
    const { stdout } = await run('bash', ['-c', `${script}\n${line}\n_edgeplane\nprintf '%s\\n' "\${COMPREPLY[@]}"`])
    return stdout.trim().split('\n')
  }
  expect(await complete('st')).toEqual(['start', 'status'])
  expect(await complete('start', '--data')).toEqual(['--data-dir'])
  expect(await complete('completion', '')).toEqual(['bash', 'zsh', 'fish', '--help', '--version'])
  expect(await complete('start', '--port', '')).toEqual([''])
})

test('starts a server', async () => {
  const child = spawn(edgeplane, ['start', '--ephemeral', '--port', '0'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  for await (const chunk of child.stdout) {
    output += String(chunk)
    if (output.includes('Stop it with')) break
  }
  expect(output).toContain('a Kubernetes API server is ready')
  child.kill('SIGTERM')
  expect((await once(child, 'exit'))[0]).toBe(0)
})

test('contains the kit edgeplane/testing', async () => {
  const program = `
    import { startEdgeplane } from 'edgeplane/testing'
    const api = await startEdgeplane()
    const cluster = await api.cluster()
    const { status } = await cluster.request('/api/v1/namespaces/default')
    await cluster.delete()
    await api.stop()
    console.log(status)`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: directory, env })
  expect(stdout).toBe('200\n')
})

test("the action's script starts one for the steps after it", async () => {
  const runner = join(directory, 'runner')
  await run('mkdir', ['-p', join(runner, 'edgeplane')])
  symlinkSync(join(directory, 'node_modules'), join(runner, 'edgeplane/node_modules'))
  const files = { GITHUB_ENV: join(runner, 'env'), GITHUB_OUTPUT: join(runner, 'output') }
  const options = { ...env, ...files, RUNNER_TEMP: runner, OPTIONS: "--controllers '*,-garbage-collector-controller'" }
  await run(join(root, 'action/start.sh'), [], { env: options })
  const [, kubeconfig = ''] = /^KUBECONFIG=(.*)$/m.exec(readFileSync(files.GITHUB_ENV, 'utf8')) ?? []
  const text = readFileSync(kubeconfig, 'utf8')
  expect(text).toContain('server: "https://127.0.0.1:')
  process.kill(Number(readFileSync(join(runner, 'edgeplane/server.pid'), 'utf8')), 'SIGTERM')
})

test("the action's script installs no package by its name", async () => {
  const install = run(join(root, 'action/install.sh'), [], { env: { ...env, RUNNER_TEMP: directory, PACKAGE: 'latest' } })
  await expect(install).rejects.toThrow('"latest" is no tarball of the package')
})

test('the recipe for GitLab starts one for the script of the job', async () => {
  const recipe = readFileSync(join(root, 'action/README.md'), 'utf8')
  const [, block = ''] = /before_script:\n((?: {4}- .*\n)+)/.exec(recipe) ?? []
  const [install, ...lines] = block.split('\n').map((line) => line.replace(/^ {4}- /, ''))
  expect(install).toBe(`npm install --no-save ./edgeplane-${version}.tgz`)
  // Another server of this machine may have the port.
  const script = lines.join('\n').replace('--ephemeral', '--ephemeral --port 0')
  const report = 'echo "$! $KUBEBUILDER_ASSETS $KUBECONFIG"'
  const options = { cwd: directory, env: { ...env, CI_PROJECT_DIR: directory, XDG_CACHE_HOME: join(directory, 'cache') } }
  const { stdout } = await run('bash', ['-e', '-c', `${script}\n${report}`], options)
  const [server = '', assets = '', kubeconfig = ''] = stdout.trim().split(' ')
  process.kill(Number(server), 'SIGTERM')
  expect(readdirSync(assets)).toContain('kube-apiserver')
  expect(readFileSync(kubeconfig, 'utf8')).toContain('server: "https://127.0.0.1:')
})

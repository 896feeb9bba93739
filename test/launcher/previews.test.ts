/** Previews of pull requests: the steps of action/preview.yml, with a local server and a local API in place of GitHub's. */
import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clusterOfBranch } from '../../src/launcher/previews/branch.ts'
import { readYaml } from '../../src/yaml/parse.ts'
import { type ClusterServer, clustersPath, startClusterServer } from '../http/cluster-server.ts'

const root = resolve(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const folder = mkdtempSync(join(tmpdir(), 'edgeplane-previews-'))
const pullRequest = 7
const branch = 'feature/Login'
let server: ClusterServer
let github: Server
let address = ''

interface Comment {
  readonly id: number
  body: string
}

const comments: Comment[] = []
/** The requests of the API, and their tokens. */
const requests: string[] = []

/** Answers as GitHub's API for comments. The first page is full of those of others. */
async function startGitHub(): Promise<void> {
  for (let id = 1; id <= 100; id++) comments.push({ id, body: `a comment <!-- edgeplane preview ${clusterOfBranch(branch)} -->` })
  github = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
      requests.push(`${request.method} ${pathname} ${request.headers.authorization}`)
      const send = (status: number, body: unknown): void =>
        void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      if (request.headers.authorization !== 'Bearer token-of-the-job') return send(401, { message: 'Bad credentials' })
      const { body } = (text === '' ? {} : JSON.parse(text)) as { body: string }
      if (request.method === 'GET') {
        const [size, page] = ['per_page', 'page'].map((name) => Number(searchParams.get(name)))
        return send(200, comments.slice((size ?? 0) * ((page ?? 0) - 1), (size ?? 0) * (page ?? 0)))
      }
      if (request.method === 'POST') comments.push({ id: 1000 + comments.length, body })
      const edited = comments.find(({ id }) => pathname === `/repos/owner/shop/issues/comments/${id}`)
      if (request.method === 'PATCH' && edited !== undefined) edited.body = body
      return send(200, {})
    })
  })
  await new Promise<void>((done) => github.listen(0, '127.0.0.1', done))
  address = `http://127.0.0.1:${(github.address() as AddressInfo).port}`
}

interface Step {
  readonly if?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
}

const workflow = readYaml(readFileSync(join(root, 'action/preview.yml'), 'utf8')).value as unknown as {
  readonly jobs: { readonly preview: { readonly env: Readonly<Record<string, string>>; readonly steps: readonly Step[] } }
}

interface Outcome {
  readonly code: number
  readonly output: string
}

function shell(command: string, variables: Readonly<Record<string, string>>): Promise<Outcome> {
  const env = { ...process.env, PATH: `${folder}/bin${delimiter}${process.env.PATH ?? ''}`, ...variables }
  return new Promise((done) => {
    execFile('sh', ['-ec', command], { cwd: folder, env, timeout: 60_000 }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code ?? -1), output: stdout + stderr }),
    )
  })
}

/** The variables of a job. */
const job = (): Record<string, string> => ({
  GITHUB_TOKEN: 'token-of-the-job',
  GITHUB_API_URL: address,
  GITHUB_REPOSITORY: 'owner/shop',
  GITHUB_HEAD_REF: branch,
  GITHUB_EVENT_PATH: join(folder, 'event.json'),
  KUBECONFIG: join(folder, 'deployment.kubeconfig'),
})

/** Runs the steps of the workflow for an action of the event. */
async function run(action: string): Promise<string> {
  writeFileSync(join(folder, 'event.json'), JSON.stringify({ action, pull_request: { number: pullRequest } }))
  let log = ''
  for (const { if: condition, run: command, env } of workflow.jobs.preview.steps) {
    const isClosing = condition?.includes("== 'closed'")
    if (command === undefined || (condition !== undefined && isClosing !== (action === 'closed'))) continue
    const content = env?.CONTENT === undefined ? {} : { CONTENT: readFileSync(server.kubeconfig, 'utf8') }
    const { code, output } = await shell(command, { ...job(), ...content })
    expect(code, `${command}: ${output}`).toBe(0)
    log += output
  }
  return log
}

const own = (): Comment[] => comments.filter(({ body }) => body.startsWith('<!--'))
const name = clusterOfBranch(branch)
const expiry = async (): Promise<number> => Date.parse((await server.status(name)).expiresAt ?? '')

beforeAll(async () => {
  await startGitHub()
  server = await startClusterServer()
  mkdirSync(join(folder, 'bin'))
  mkdirSync(join(folder, 'manifests'))
  writeFileSync(
    join(folder, 'bin/npx'),
    `#!/bin/sh\n[ "$1 $2" = '--no-install edgeplane' ] || exit 99\nshift 2\nexec '${process.execPath}' '${root}/bin/edgeplane.mjs' "$@"\n`,
  )
  // The tests of the package install it.
  writeFileSync(join(folder, 'bin/npm'), `#!/bin/sh\n[ "$*" = 'install --no-save ./edgeplane-${version}.tgz' ]\n`)
  for (const program of ['npx', 'npm']) chmodSync(join(folder, 'bin', program), 0o755)
  const settings = (colour: string): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: shop}\ndata: {colour: ${colour}}\n`
  writeFileSync(join(folder, 'manifests/a.yaml'), settings('blue'))
  writeFileSync(join(folder, 'manifests/z.yaml'), 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n')
})

afterAll(async () => {
  github?.close()
  rmSync(folder, { recursive: true, force: true })
  await server?.stop()
})

test('a pull request has a cluster with manifests and one comment, from its first push until it is closed', async () => {
  expect(await run('opened')).toContain(`the preview ${name} is ready`)
  const { body } = own()[0] ?? { body: '' }
  expect(body).toContain(`${server.url}/clusters/${name}`)
  const command = /^npx --no-install edgeplane cluster kubeconfig .*$/m.exec(body)?.[0] ?? ''
  expect((await shell(command, job())).code).toBe(0)
  const kubeconfig = readFileSync(join(folder, `${name}.kubeconfig`), 'utf8')
  const { token } = (JSON.parse(kubeconfig) as { users: { user: { token: string } }[] }).users[0]?.user ?? { token: '' }
  const settings = await server.inside(name, '/api/v1/namespaces/shop/configmaps/settings', { token })
  expect(settings.json()).toMatchObject({ data: { colour: 'blue' } })
  // The credential is in no comment.
  expect(JSON.stringify(comments)).not.toContain(token)

  const isFar = async (): Promise<boolean> => (await expiry()) - Date.now() > 167 * 3_600_000
  expect(await isFar()).toBe(true)
  await server.patch(name, { expiry: new Date(Date.now() + 3_600_000).toISOString() })
  expect(await isFar()).toBe(false)
  await run('synchronize')
  expect(own()).toHaveLength(1)
  expect(await isFar()).toBe(true)

  await run('closed')
  expect(own().map((one) => one.body)).toEqual([expect.stringContaining('is deleted')])
  expect((await server.send(`${clustersPath}/${name}`)).status).toBe(404)
  // A workflow that runs again changes nothing.
  await run('closed')
  expect(own()).toHaveLength(1)
  expect(
    requests.every((request) => request.includes('/repos/owner/shop/issues/') && request.endsWith('Bearer token-of-the-job')),
  ).toBe(true)
})

describe('A preview', () => {
  test.each([
    ['edgeplane preview comment', { GITHUB_TOKEN: 'other' }, '401: Bad credentials'],
    ['edgeplane preview comment', { GITHUB_TOKEN: '' }, 'GITHUB_TOKEN is missing'],
    ['edgeplane preview comment', { GITHUB_REPOSITORY: '../..' }, 'The repository is missing'],
    ['edgeplane preview comment --pull-request 1/../2', {}, 'The pull request is missing'],
    ['edgeplane preview up --expiry soon', {}, '--expiry must be a duration'],
    ['edgeplane preview up --from-manifests nowhere', {}, 'cannot be imported'],
    ['edgeplane preview up', { GITHUB_HEAD_REF: '' }, 'The branch is missing'],
  ])('%s with %j is refused', async (command, variables, message) => {
    const { code, output } = await shell(`npx --no-install ${command}`, { ...job(), ...variables })
    expect([code, output]).toEqual([1, expect.stringContaining(message)])
  })

  test('does not take a cluster that is not its own', async () => {
    await server.make('taken')
    const { code, output } = await shell('npx --no-install edgeplane preview up --branch taken', job())
    expect([code, output]).toEqual([1, expect.stringContaining('is not the preview of taken')])
  })

  test.each([
    ['fix-42', /^fix-42$/],
    ['feature/Login', /^feature-login-[0-9a-f]{6}$/],
    ['feature-login', /^feature-login$/],
    ['default', /^default-[0-9a-f]{6}$/],
    ['ÄÖ', /^branch-[0-9a-f]{6}$/],
    ['x'.repeat(200), /^x{50}-[0-9a-f]{6}$/],
    ['--$(rm -rf)`', /^rm-rf-[0-9a-f]{6}$/],
  ])('of %s has the name %s', (given, expected) => {
    expect(clusterOfBranch(given)).toMatch(expected)
  })
})

/**
 * Records facts that only a running kube-apiserver shows: the bootstrap roles and bindings, and the priorities of groups and
 * versions.
 *
 *   node scripts/catalog/record-facts.ts --reference URL --reference-token T [--check]
 *
 * With --check nothing is written: the script fails if the recorded facts differ from those of the server.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { readLines, writeLines } from '../../conformance/lines.ts'
import { bootstrapFacts, type RbacList } from './bootstrap-facts.ts'
import { type APIServiceList, priorityFacts } from './priority-facts.ts'

const root = join(import.meta.dirname, '../..')
const { values } = parseArgs({
  options: {
    reference: { type: 'string', default: '' },
    'reference-token': { type: 'string', default: '' },
    check: { type: 'boolean', default: false },
  },
})
if (values.reference === '') throw new Error('--reference is the URL of a kube-apiserver')

async function list<T>(path: string): Promise<T> {
  const options = { headers: { authorization: `Bearer ${values['reference-token']}` }, rejectUnauthorized: false }
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  get(`${values.reference}/apis/${path}`, options, (response) => text(response).then(resolve, reject)).on('error', reject)
  return JSON.parse(await promise) as T
}

const rbac = (resource: string): Promise<RbacList> => list(`rbac.authorization.k8s.io/v1/${resource}`)

const bootstrapFile = join(root, 'src/auth/rbac/bootstrap/recorded.json')
const bootstrap = bootstrapFacts({
  clusterRoles: await rbac('clusterroles'),
  clusterRoleBindings: await rbac('clusterrolebindings'),
  roles: await rbac('roles'),
  roleBindings: await rbac('rolebindings'),
})
const prioritiesFile = join(root, 'conformance/recorded/priorities.jsonl')
const priorities = priorityFacts(await list<APIServiceList>('apiregistration.k8s.io/v1/apiservices'))

function check(file: string, recorded: unknown, fact: unknown): void {
  if (JSON.stringify(recorded) === JSON.stringify(fact)) return
  console.error(`${file} is not what the server says. Run it again without --check.`)
  process.exitCode = 1
}

if (values.check) {
  check(bootstrapFile, JSON.parse(readFileSync(bootstrapFile, 'utf8')), bootstrap)
  check(prioritiesFile, readLines(prioritiesFile), priorities)
} else {
  writeFileSync(bootstrapFile, JSON.stringify(bootstrap))
  execFileSync('biome', ['format', '--write', bootstrapFile])
  writeLines(prioritiesFile, priorities)
}

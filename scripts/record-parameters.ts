/**
 * Records the responses of kube-apiserver to every value of every parameter on every verb, for the tests.
 *
 *   npm run record:parameters -- --reference URL --reference-token T
 */
import { parseArgs } from 'node:util'
import { answersTo, prepare } from './parameters/answers.ts'
import { writeRecorded } from './parameters/recorded.ts'
import { trials } from './parameters/requests.ts'

const { values } = parseArgs({ options: { reference: { type: 'string' }, 'reference-token': { type: 'string', default: '' } } })
if (values.reference === undefined) throw new Error('--reference is the URL of a kube-apiserver')

const server = { url: values.reference, token: values['reference-token'] }
await prepare(server)
const all = trials()
writeRecorded(all, await answersTo(server, all))
console.log(`${all.length} answers are recorded`)

/** Records the responses of kube-apiserver to the matrix of users, verbs, resources and paths. */
import { record } from '../../conformance/authorization/answers.ts'
import { answersOf } from '../authorization.ts'
import { command } from '../command.ts'
import { referenceOptions, withReference } from '../servers.ts'

export default command({
  options: referenceOptions,
  run: (values) => withReference(values, async (server) => record(await answersOf(server))),
})

/** Records the responses of kube-apiserver to every value of every parameter on every verb, for the tests. */
import { command } from '../command.ts'
import { referenceOptions, withReference } from '../servers.ts'
import { answersTo, prepare } from './parameters/answers.ts'
import { writeRecorded } from './parameters/recorded.ts'
import { trials } from './parameters/requests.ts'

export default command({
  options: referenceOptions,
  run: (values) =>
    withReference(values, async (server) => {
      await prepare(server)
      const all = trials()
      writeRecorded(all, await answersTo(server, all))
      console.log(`${all.length} answers are recorded`)
    }),
})

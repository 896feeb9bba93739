/** Replays the matrix of users, verbs, resources and paths, and prints responses that differ from those of kube-apiserver. */
import { differencesOf } from '../../conformance/authorization/answers.ts'
import { answersOf, areaOf } from '../authorization.ts'
import { command, text } from '../command.ts'
import { serverOptions, withServer } from '../servers.ts'

export default command({
  options: { area: text('NAME', 'a part of the matrix'), ...serverOptions },
  run: ({ area, ...values }) =>
    withServer(values, async (server) => {
      for (const [name, answered] of Object.entries(await answersOf(server, area))) {
        const differences = differencesOf(name, areaOf(name), answered)
        for (const [title, { recorded, got }] of differences) console.log(`${title}\n  recorded ${recorded}\n  got      ${got}`)
        console.log(`${name}: ${answered.size - differences.size} of ${answered.size} answers are equal`)
        if (differences.size > 0) process.exitCode = 1
      }
    }),
})

/** Every value of every parameter on every verb: kube-apiserver 1.36.3 gave the expected responses. */
import { expect, test } from 'vitest'
import { answersTo, prepare } from '../../lab/record/parameters/answers.ts'
import { readRecorded } from '../../lab/record/parameters/recorded.ts'
import { trials } from '../../lab/record/parameters/requests.ts'
import { startServer } from '../server.ts'

test('valid and invalid query parameters are answered like kube-apiserver does', async () => {
  const server = await startServer()
  const all = trials()
  await prepare(server)
  const answers = await answersTo(server, all)
  await server.stop()
  const recorded = readRecorded(all)
  const different = all.flatMap(({ method, path }, place) =>
    answers[place] === recorded[place]
      ? []
      : [{ request: `${method} ${path}`, answer: answers[place], recorded: recorded[place] }],
  )
  expect(different).toEqual([])
}, 120_000)

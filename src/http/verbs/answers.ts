/** Answers to what a commit asks: what the Worker knows of the request, and of others. */
import { refusal } from '../../auth/authorizer.ts'
import type { AccessAnswer, Question } from '../../clusters/questions.ts'
import { findObject } from '../../clusters/read-object.ts'
import { forbidden } from '../../meta/errors.ts'
import type { User } from '../../meta/user.ts'
import type { Server } from '../context.ts'
import { podAccount } from './admission-lookups.ts'

async function accessAnswer(server: Server, user: User, asked: Question & { readonly of: 'access' }): Promise<AccessAnswer> {
  const attributes = { ...asked, isResource: true } as const
  const { allowed, reason, error } = await server.authorizer.authorize(user, attributes)
  if (allowed) return { allowed }
  const why = error === undefined || reason === '' ? (error ?? reason) : `${error}: ${reason}`
  return { allowed, refusal: forbidden(asked, asked.name, refusal(user, attributes, why)).message }
}

/** @param verb of the request */
export async function answerOf(server: Server, user: User, verb: string, question: Question): Promise<unknown> {
  switch (question.of) {
    case 'access':
      return accessAnswer(server, user, question)
    case 'verb':
      return verb
    case 'namespace labels': {
      const found = await findObject(server.collections, {
        resource: 'namespaces',
        namespace: '',
        name: question.namespace,
      })
      return found === undefined ? null : (found.metadata.labels ?? {})
    }
    case 'account': {
      const found = await server.accounts.find(question.namespace, question.name)
      return found === undefined ? null : podAccount(found)
    }
    case 'resource':
      return (await server.customKinds.resourceOf(question.group, question.version, question.kind)) ?? null
  }
}

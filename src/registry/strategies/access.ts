/** What the writer may do beside the write itself: asked of the Worker, which knows all who decide. */
import { mastersGroup } from '../../auth/user.ts'
import type { AccessAnswer, Question } from '../../clusters/questions.ts'
import type { StrategyContext } from '../hooks.ts'

type AccessQuestion = Question & { readonly of: 'access' }

/** What is asked about; what is left out is ''. */
type Asked = Pick<AccessQuestion, 'verb' | 'group' | 'version' | 'resource'> &
  Partial<Pick<AccessQuestion, 'subresource' | 'namespace' | 'name'>>

const allowed: AccessAnswer = { allowed: true }

/** Whether the writer may. The server itself and administrators may do everything. */
export function access({ user, ask }: StrategyContext, asked: Asked): AccessAnswer {
  if (user === undefined || user.groups.includes(mastersGroup)) return allowed
  return ask({ of: 'access', subresource: '', namespace: '', name: '', ...asked }) as AccessAnswer
}

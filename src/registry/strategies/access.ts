/** What the writer may do beside the write itself: asked of the Worker, which knows all who decide. */
import { mastersGroup } from '../../auth/user.ts'
import type { AccessAnswer, Question } from '../../clusters/questions.ts'
import type { StrategyContext } from '../hooks.ts'

type AccessQuestion = Question & { readonly of: 'access' }

/** What is asked about; what is left out is ''. */
type Asked = Pick<AccessQuestion, 'verb' | 'group' | 'version' | 'resource'> &
  Partial<Pick<AccessQuestion, 'subresource' | 'namespace' | 'name'>>

const allowed: AccessAnswer = { allowed: true }

/** Whether the writer may do everything: the server itself, and administrators. */
export const mayAll = ({ user }: StrategyContext): boolean => user === undefined || user.groups.includes(mastersGroup)

/** Whether the writer may. */
export function access(context: StrategyContext, asked: Asked): AccessAnswer {
  if (mayAll(context)) return allowed
  return context.ask({ of: 'access', subresource: '', namespace: '', name: '', ...asked }) as AccessAnswer
}

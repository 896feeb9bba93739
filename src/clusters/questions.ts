/**
 * What a commit has to know of others and cannot ask: it is undone, the Worker answers, and the operation is done anew with the
 * answer. Only writes that need to know something pay for it, and what was known is named by the question: an object that has
 * changed meanwhile leads to another question.
 */
/** A question, and of what form its answer is. */
export type Question =
  /** Whether the user may do this: an `AccessAnswer`. */
  | {
      readonly of: 'access'
      readonly verb: string
      readonly group: string
      readonly version: string
      readonly resource: string
      readonly subresource: string
      readonly namespace: string
      readonly name: string
    }
  /** The verb of the request: a text. */
  | { readonly of: 'verb' }
  /** The labels of a namespace: an object, or null where there is no such namespace. */
  | { readonly of: 'namespace labels'; readonly namespace: string }
  /** What a ServiceAccount says about its Pods: a `PodAccount` of an operation, or null where there is no such account. */
  | { readonly of: 'account'; readonly namespace: string; readonly name: string }
  /** The resource of a custom kind: a text, or null where there is none. */
  | { readonly of: 'resource'; readonly group: string; readonly version: string; readonly kind: string }

/** Whether the user may, and else how kube-apiserver words the refusal. */
export type AccessAnswer = { readonly allowed: true } | { readonly allowed: false; readonly refusal: string }

/** What has been answered, by the questions as JSON. */
export type Answers = Readonly<Record<string, unknown>>

/** Ends a commit whose question has not been answered. */
export class OpenQuestion extends Error {
  readonly question: Question

  constructor(question: Question) {
    super('a question is open')
    this.question = question
  }
}

/**
 * The answer to a question.
 * @throws OpenQuestion where there is none yet
 */
export function answerTo(question: Question, answers: Answers): unknown {
  const key = JSON.stringify(question)
  const answer = Object.hasOwn(answers, key) ? answers[key] : undefined
  if (answer === undefined) throw new OpenQuestion(question)
  return answer
}

const questionHeader = 'edgeplane-question'

/** A question on its way from the Durable Object to the Worker. */
export const questionResponse = ({ question }: OpenQuestion): Response =>
  new Response(JSON.stringify(question), { status: 409, headers: { [questionHeader]: '1' } })

/** The question that an inner answer is; undefined for other answers. */
export async function questionOf(response: Response): Promise<Question | undefined> {
  return response.headers.get(questionHeader) === null ? undefined : ((await response.json()) as Question)
}

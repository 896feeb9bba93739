/** Comments on pull requests, by GitHub's REST API. */

import { readFileSync } from 'node:fs'
import { trimRight } from '../../go/text.ts'
import { messageIn } from '../api.ts'
import { LauncherError, reasonOf } from '../launcher-error.ts'

/** A pull request, and the access to it. */
export interface PullRequest {
  /** Without a slash at the end. */
  readonly api: string
  readonly token: string
  /** `OWNER/NAME`. */
  readonly repository: string
  readonly number: number
}

interface Comment {
  readonly id: number
  readonly body?: string
}

/** The number of comments in a page of a list. */
const pageSize = 100

/** Returns the number in the event of a workflow; undefined outside of one, and for other events. */
function numberInEvent(): string | undefined {
  const { GITHUB_EVENT_PATH: file } = process.env
  if (file === undefined || file === '') return undefined
  try {
    const { pull_request: found } = JSON.parse(readFileSync(file, 'utf8')) as { pull_request?: { number?: number } }
    return found?.number === undefined ? undefined : String(found.number)
  } catch (error) {
    throw new LauncherError(`The event ${file} cannot be read: ${reasonOf(error)}.`)
  }
}

/**
 * Returns the pull request that options and the variables of a workflow name.
 * @throws LauncherError if something is missing
 */
export function pullRequestOf(repositoryOption: string | undefined, numberOption: string | undefined): PullRequest {
  const { GITHUB_API_URL: api = 'https://api.github.com', GITHUB_TOKEN: token = '' } = process.env
  const repository = repositoryOption ?? process.env.GITHUB_REPOSITORY ?? ''
  const number = numberOption ?? numberInEvent() ?? ''
  if (!/^[A-Za-z0-9][\w.-]*\/[\w.-]+$/.test(repository) || /\/\.+$/.test(repository))
    throw new LauncherError('The repository is missing: --repository OWNER/NAME.')
  if (!/^[1-9]\d{0,9}$/.test(number)) throw new LauncherError('The pull request is missing: --pull-request NUMBER.')
  if (token === '')
    throw new LauncherError('The variable GITHUB_TOKEN is missing: it needs the permission to write pull requests.')
  return { api: trimRight(api, '/'), token, repository, number: Number(number) }
}

async function send<T>({ api, token }: PullRequest, method: string, path: string, body?: object): Promise<T> {
  let response: Response
  try {
    response = await fetch(api + path, {
      method,
      redirect: 'error',
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${token}`,
        'user-agent': 'edgeplane',
        'x-github-api-version': '2022-11-28',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  } catch (error) {
    throw new LauncherError(`${api} cannot be reached: ${reasonOf(error)}.`)
  }
  const text = await response.text()
  if (!response.ok) throw new LauncherError(`${api} answers ${response.status}: ${messageIn(text)}.`)
  return JSON.parse(text) as T
}

/** Returns the comment that begins with a mark; undefined if it has not been written yet. */
async function find(request: PullRequest, mark: string): Promise<Comment | undefined> {
  const { repository, number } = request
  for (let page = 1; ; page++) {
    const query = `per_page=${pageSize}&page=${page}`
    const comments = await send<readonly Comment[]>(request, 'GET', `/repos/${repository}/issues/${number}/comments?${query}`)
    const found = comments.find(({ body }) => body?.startsWith(mark) === true)
    if (found !== undefined || comments.length < pageSize) return found
  }
}

/**
 * Writes a comment, or edits the one with the same mark: a pull request has one at most.
 * @param mark the beginning of the comment, which people do not see
 * @param ifAbsent whether a missing comment is written
 * @throws LauncherError if GitHub refuses it
 */
export async function writeComment(
  request: PullRequest,
  mark: string,
  text: string,
  ifAbsent: 'write' | 'skip',
): Promise<'written' | 'edited' | 'skipped'> {
  const { repository, number } = request
  const body = `${mark}\n${text}`
  const existing = await find(request, mark)
  if (existing !== undefined) {
    if (existing.body !== body) await send(request, 'PATCH', `/repos/${repository}/issues/comments/${existing.id}`, { body })
    return 'edited'
  }
  if (ifAbsent === 'skip') return 'skipped'
  await send(request, 'POST', `/repos/${repository}/issues/${number}/comments`, { body })
  return 'written'
}

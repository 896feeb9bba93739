/** The names under which ServiceAccounts and nodes act. Follows apiserver's authentication/serviceaccount. */
import { isDns1123Label, isDns1123Subdomain } from '../meta/names.ts'

const accountPrefix = 'system:serviceaccount:'
const nodePrefix = 'system:node:'

/** A ServiceAccount's name and its namespace. */
export interface AccountName {
  readonly namespace: string
  readonly name: string
}

/** The user name under which a ServiceAccount acts. */
export const accountUser = ({ namespace, name }: AccountName): string => `${accountPrefix}${namespace}:${name}`

/** The groups of every ServiceAccount of a namespace. */
export function accountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
}

/** Whose user name it is; undefined for one that is no ServiceAccount's. */
export function accountOf(userName: string): AccountName | undefined {
  if (!userName.startsWith(accountPrefix)) return undefined
  const [namespace = '', name = '', ...more] = userName.slice(accountPrefix.length).split(':')
  const valid = more.length === 0 && isDns1123Label(namespace).length === 0 && isDns1123Subdomain(name).length === 0
  return valid ? { namespace, name } : undefined
}

/** The node that acts under this user name; undefined for other users. */
export function nodeOf(userName: string): string | undefined {
  if (!userName.startsWith(nodePrefix)) return undefined
  const name = userName.slice(nodePrefix.length)
  return isDns1123Subdomain(name).length === 0 ? name : undefined
}

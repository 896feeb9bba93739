/** User names of ServiceAccounts and nodes. Follows authentication/serviceaccount of apiserver. */
import { isDns1123Label, isDns1123Subdomain } from '../meta/names.ts'

const accountPrefix = 'system:serviceaccount:'
const nodePrefix = 'system:node:'

export interface AccountName {
  readonly namespace: string
  readonly name: string
}

/** Returns the user name of a ServiceAccount. */
export const accountUser = ({ namespace, name }: AccountName): string => `${accountPrefix}${namespace}:${name}`

/** Returns the groups of every ServiceAccount of a namespace. */
export function accountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
}

/** Returns the ServiceAccount of a user name; undefined if it is not a ServiceAccount's. */
export function accountOf(userName: string): AccountName | undefined {
  if (!userName.startsWith(accountPrefix)) return undefined
  const [namespace = '', name = '', ...more] = userName.slice(accountPrefix.length).split(':')
  const valid = more.length === 0 && isDns1123Label(namespace).length === 0 && isDns1123Subdomain(name).length === 0
  return valid ? { namespace, name } : undefined
}

/** Returns the node of a user name; undefined if it is not a node's. */
export function nodeOf(userName: string): string | undefined {
  if (!userName.startsWith(nodePrefix)) return undefined
  const name = userName.slice(nodePrefix.length)
  return isDns1123Subdomain(name).length === 0 ? name : undefined
}

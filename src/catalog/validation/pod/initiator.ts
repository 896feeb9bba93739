/** iSCSI qualified names. */

const ofAuthority = /[-0-9A-Za-z.]/
const dated = /iqn\.\d{4}-\d{2}\.[-0-9A-Za-z.]/
const neverInName = /[,;*&$|\s]/

/** Returns the characters of a naming authority at the end of a text. */
function authorityAtEnd(text: string): string {
  let start = text.length
  while (start > 0 && ofAuthority.test(text.charAt(start - 1))) start--
  return text.slice(start)
}

/**
 * Whether a name contains, up to its end, a naming authority with its date, a colon, and a name that the authority has given. Follows
 * iqnRegexp of core/validation, which finds it at any place: a regular expression of the runtime would try each of them to the end.
 */
export function isQualifiedInitiator(name: string): boolean {
  const parts = name.split(':')
  const last = parts.length - 1
  for (let at = last; at > 0; at--) {
    const part = parts[at] ?? ''
    if (neverInName.test(part)) return false
    const isGiven = at < last || part !== ''
    if (isGiven && dated.test(authorityAtEnd(parts[at - 1] ?? ''))) return true
  }
  return false
}

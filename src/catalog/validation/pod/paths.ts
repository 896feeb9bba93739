import type { Errors } from '../checks.ts'

/** Checks that a path does not contain `..`. */
export function checkNoBacksteps(path: string, field: string, errors: Errors): void {
  if (path.split('/').includes('..')) errors.invalid(field, path, "must not contain '..'")
}

/** Checks a path that must be relative and must not contain `..`. */
export function checkDescendingPath(path: string, field: string, errors: Errors): void {
  if (path.startsWith('/')) errors.invalid(field, path, 'must be a relative path')
  checkNoBacksteps(path, field, errors)
}

/** Checks a relative path that also must not begin with the prefix that the kubelet reserves. */
export function checkNonReservedPath(path: string, field: string, errors: Errors): void {
  checkDescendingPath(path, field, errors)
  if (path.startsWith('..') && !path.startsWith('../')) errors.invalid(field, path, "must not start with '..'")
}

const highestMode = 0o777

/** Checks a file mode. */
export function checkMode(mode: number | undefined, field: string, errors: Errors): void {
  if (mode === undefined || (mode >= 0 && mode <= highestMode)) return
  errors.invalid(field, mode, 'must be a number between 0 and 0777 (octal), both inclusive')
}

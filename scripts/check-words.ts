/**
 * Checks the language of comments, test titles and names, by the rules of CONTRIBUTING.md: a doc comment begins with a verb or with
 * the noun that it defines, no clause has "what", "where" or "of" for its subject, and words that Kubernetes has another word for are
 * not used. Prints every violation with its place; exit code 1 if there is one. `check-words.ts PATH...` checks these paths alone.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')

/** Folders that are checked. */
const checked = ['src', 'conformance', 'test', 'scripts', 'lab']

/** Generated and recorded files speak for others. */
const skipped = /^src\/catalog\/generated\/|(^|\/)(node_modules)\/|check-words\.ts$/

/** Phrases that a comment or a test title must not contain, with what to write instead. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/\b(?:is|are|was|were|be) none\b/i, 'say "is not a X", "has no X"'],
  [/\bof what\b/i, 'say "the X of"'],
  [/\b(?:at|for) what it is\b|\bas what it is\b/i, 'say what the thing is called'],
  [/\bat hand\b/i, 'say "cached" or "in memory"'],
  [/\bfamiliar\b/i, 'say "subscribed" or "cached"'],
  [/\bdepartures?\b|\bdeparts? from the rule\b/i, 'say "strategy" or "differs"'],
  [/\bsurroundings\b/i, 'say "context"'],
  [/\bwhoever\b/i, 'name the caller: client, request, manager, controller'],
  [/\bby chance\b/i, 'say "random"'],
  [/\banew\b/i, 'say "again"'],
  [/(?:absent|undefined|null|empty|@throws [^.;]*) where\b/i, 'say "if"'],
]

/** A clause that begins so makes its reader guess what it speaks of. */
const riddle =
  /(?:^|[.;:] +)(?:What|Where|Of|Whose|Who|Those|That|Which|Whatever|Wherever|(?:By|In|On|Under|To|From|At|For|With) (?:which|whose|what))\b/

/** Names that were replaced by those of k8s.io/apiserver, client-go or the Workers platform. */
const names =
  /\b(?:[a-z]\w*)?(?:Familiar|Surroundings|GivenEmpty|[Dd]epartures|StrategyRules|OpenQuestion|UnfamiliarOwners)\w*\b|\b(?:Exchange|Aside|OnBehalf|LetGo|whenFetched|atHand|mayWrite|mayDelete|holdsDeleted|isSameDesire)\b/

interface Comment {
  readonly line: number
  readonly text: string
}

/** Yields the comments of a file, each block comment and each run of line comments as one text. */
function* commentsOf(text: string): Generator<Comment> {
  const found = /\/\*\*?([\s\S]*?)\*\/|((?:^[ \t]*\/\/.*\n?)+)|(?<=[\s;,{}()])\/\/ (.*)$/gm
  for (const match of text.matchAll(found)) {
    const raw = match[1] ?? match[2] ?? match[3] ?? ''
    const line = text.slice(0, match.index).split('\n').length
    yield {
      line,
      text: raw
        .replace(/^\s*(?:\*|\/\/) ?/gm, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    }
  }
}

/** Yields the titles of tests and suites. */
function* titlesOf(text: string): Generator<Comment> {
  for (const match of text.matchAll(/\b(?:test|it|describe)(?:\.\w+(?:\([^)]*\))?)*\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g)) {
    yield { line: text.slice(0, match.index).split('\n').length, text: match[2] ?? '' }
  }
}

function problemsOf(comment: Comment): string[] {
  // Quoted text belongs to its source.
  const text = comment.text.replace(/`[^`]*`|"[^"]*"|https?:\S+/g, '`…`')
  const clauses = text.split(/ @(?:param \w+|returns|throws|example)\s?/).map((clause) => clause.trim())
  return [
    ...phrases.filter(([phrase]) => phrase.test(text)).map(([phrase, advice]) => `${phrase.exec(text)?.[0]}: ${advice}`),
    ...clauses.flatMap((clause) => riddle.exec(clause)?.[0].trim() ?? []).map((found) => `a clause begins with "${found}"`),
  ]
}

function filesIn(path: string): string[] {
  if (statSync(path).isFile()) return [path]
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).map((file) => join(path, file))
}

const given = process.argv.slice(2)
const files = (given.length > 0 ? given.map((path) => resolve(path)) : checked.map((folder) => join(root, folder)))
  .flatMap(filesIn)
  .filter((file) => /\.(?:ts|mjs)$/.test(file) && !skipped.test(relative(root, file)))

let violations = 0
const report = (file: string, line: number, problem: string): void => {
  violations++
  console.error(`${relative(root, file)}:${line}: ${problem}`)
}

for (const file of files) {
  const text = readFileSync(file, 'utf8')
  const texts = [...commentsOf(text), ...(file.endsWith('.test.ts') ? titlesOf(text) : [])]
  for (const comment of texts) for (const problem of problemsOf(comment)) report(file, comment.line, problem)
  for (const [index, line] of text.split('\n').entries()) {
    const name = names.exec(line)?.[0]
    if (name !== undefined) report(file, index + 1, `the name ${name} was replaced: see docs/glossary.md`)
  }
}
if (violations > 0) process.exit(1)
console.log(`the words of ${files.length} files follow the rules`)

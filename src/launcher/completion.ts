/** The completion scripts of shells, from the table of commands. */
import { type Command, commonOptions, type Option } from './command-line.ts'

interface Completed {
  readonly name: string
  readonly summary: string
  readonly argument: readonly string[]
  readonly options: readonly Option[]
}

/** Writes the script for a shell: `bash`, `zsh` or `fish`. */
export function completionScript<C>(shell: string, commands: readonly Command<C>[]): string {
  const completed = commands
    .filter(({ internal }) => !internal)
    .map(({ name, summary, argument, options }) => ({
      name,
      summary,
      argument: argument?.choices ?? [],
      options: [...options, ...commonOptions],
    }))
  return (scripts[shell] ?? bash)(completed)
}

const scripts: Readonly<Record<string, (commands: readonly Completed[]) => string>> = { bash, zsh, fish }

const isFile = ({ value }: Option): boolean => value === 'FILE' || value === 'DIR'
const flags = (options: readonly Option[]): string => options.map(({ name }) => `--${name}`).join(' ')
const alternatives = (names: readonly string[]): string => [...new Set(names)].sort().join('|')

function bash(commands: readonly Completed[]): string {
  const all = commands.flatMap(({ options }) => options)
  const withFile = alternatives(all.filter(isFile).map(({ name }) => `--${name}`))
  const withChoices = all.filter(({ choices }) => choices !== undefined)
  const withOther = alternatives(
    all
      .filter((option) => option.value !== undefined && !isFile(option) && option.choices === undefined)
      .map(({ name }) => `--${name}`),
  )
  const choices = [...new Map(withChoices.map(({ name, choices = [] }) => [name, choices]))]
  return `# bash completion of edgeplane: source <(edgeplane completion bash)
_edgeplane() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} words=
  case $before in
    ${withFile}) COMPREPLY=($(compgen -f -- "$word")); return ;;
${choices.map(([name, values]) => `    --${name}) COMPREPLY=($(compgen -W '${values.join(' ')}' -- "$word")); return ;;\n`).join('')}    ${withOther}) COMPREPLY=(); return ;;
  esac
  if [ "$COMP_CWORD" = 1 ]; then
    words='${commands.map(({ name }) => name).join(' ')} --help --version'
  else
    case \${COMP_WORDS[1]} in
${commands.map(({ name, argument, options }) => `      ${name}) words='${[...argument, flags(options)].join(' ')}' ;;\n`).join('')}    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o filenames -F _edgeplane edgeplane
`
}

/** Writes a phrase inside single quotes of zsh's _arguments, whose own marks are escaped too. */
const zshText = (text: string): string => text.replace(/[[\]:\\]/g, '\\$&').replaceAll("'", "'\\''")

function zshOption(option: Option): string {
  const { name, value, choices, help, many } = option
  const action = choices !== undefined ? `(${choices.join(' ')})` : isFile(option) ? '_files' : ''
  const argument = value === undefined ? '' : `:${value}:${action}`
  return `'${many ? '*' : ''}--${name}${value === undefined ? '' : '='}[${zshText(help.join(' '))}]${argument}'`
}

function zsh(commands: readonly Completed[]): string {
  return `#compdef edgeplane
# zsh completion of edgeplane: source <(edgeplane completion zsh), or save it as _edgeplane in a directory of $fpath
_edgeplane() {
  if (( CURRENT == 2 )); then
    local -a commands=(${commands.map(({ name, summary }) => `\n      '${name}:${zshText(summary)}'`).join('')}
    )
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${commands
  .map(({ name, argument, options }) => {
    const first = argument.length === 0 ? '' : ` ':argument:(${argument.join(' ')})'`
    return `    ${name})\n      _arguments${first}${options.map((option) => ` \\\n        ${zshOption(option)}`).join('')}\n      ;;\n`
  })
  .join('')}  esac
}
if [ "$funcstack[1]" = _edgeplane ]; then _edgeplane "$@"; else compdef _edgeplane edgeplane; fi
`
}

const fishText = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`

function fish(commands: readonly Completed[]): string {
  const lines = commands.flatMap(({ name, summary, argument, options }) => [
    `complete -c edgeplane -n __fish_use_subcommand -a ${name} -d ${fishText(summary)}`,
    ...(argument.length === 0
      ? []
      : [`complete -c edgeplane -n '__fish_seen_subcommand_from ${name}' -a ${fishText(argument.join(' '))}`]),
    ...options.map((option) => {
      const { value, choices, help } = option
      const values = choices === undefined ? '' : ` -a ${fishText(choices.join(' '))}`
      const argument = value === undefined ? '' : isFile(option) ? ' -r -F' : ` -x${values}`
      return `complete -c edgeplane -n '__fish_seen_subcommand_from ${name}' -l ${option.name}${argument} -d ${fishText(help.join(' '))}`
    }),
  ])
  return `# fish completion of edgeplane: edgeplane completion fish | source\ncomplete -c edgeplane -f\n${lines.join('\n')}\n`
}

// `playbill completion`: prints a shell script, which runs this command again to get candidates.
// Never prints an error while someone is typing: what cannot be read is not completed.

import { candidatesFor, type Candidate, type WantedValue } from '../candidates.ts';
import type { PlaybillCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { settingInForce } from '../settings/in-force.ts';
import { SETTINGS, type Setting } from '../settings/settings.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export function addCompletionCommand(program: PlaybillCommand): void {
  const command = program
    .command('completion')
    .summary('print a script that completes command lines in bash, zsh or fish')
    .description(
      'Prints a script for a shell. With it, TAB completes commands, options and their choices; fronts, releases and keys of the tree; ' +
        'and products of the catalogue.',
    )
    .operand('<shell>', 'the shell', SHELLS)
    // The line to complete follows the shell's name. Help does not list it: only the script passes
    // it.
    .allowExcessArguments().helpBelow(`
Examples:
  source <(playbill completion bash)                    in ~/.bashrc
  source <(playbill completion zsh)                     in ~/.zshrc, after compinit
  playbill completion fish | source                     in ~/.config/fish/config.fish

To get candidates, the script runs this with the arguments typed so far: playbill completion bash -- ARGUMENTS

Exit codes: 0 printed, 2 wrong usage.`);
  command.runs(async (shell, _flags, context) => {
    const known = SHELLS.find((one) => one === shell) ?? 'bash';
    const argv = command.args.slice(1);
    if (argv.length === 0) return context.terminal.print(SCRIPTS[known]);
    try {
      const candidates = await candidatesFor(argv, program, (wanted) => namesOf(wanted, context));
      if (candidates.length > 0) context.terminal.print(candidates.map(LINES[known]).join('\n'));
    } catch {
      // No tree or database, or a damaged one: there are no names to offer.
    }
  });
}

/**
 * Looks names up in the tree and the database that the command line names; by default in those that
 * the command would open.
 */
async function namesOf({ name, command, typed, valueOf }: WantedValue, context: CommandContext) {
  const { frontNames, keyNames, productNames, releaseNames } = await import('../../operations/completions.ts');
  const { settingsFile } = await import('../settings/settings-file.ts');
  const file = await settingsFile(valueOf('--config'), context);
  const addressOf = (setting: Setting<string, string, string>, flag: string): string => {
    const found = settingInForce(setting, file, context.environment)?.value;
    return valueOf(flag) ?? (typeof found === 'string' ? found : setting.preset);
  };
  const out = addressOf(SETTINGS.out, '--out');
  if (name === '--front') return frontNames(out);
  if (name === '--product') return productNames(addressOf(SETTINGS.db, '--db'), valueOf('--front') ?? null, typed);
  if (command === 'rollback' || command === 'diff') return name.startsWith('-') ? [] : releaseNames(out);
  return name === 'keyid' ? keyNames(out) : [];
}

/** The format in which each script expects a candidate. */
const LINES: Record<(typeof SHELLS)[number], (candidate: Candidate) => string> = {
  bash: ({ value }) => value,
  zsh: ({ value, description }) => `${value.replaceAll(':', String.raw`\:`)}${description && `:${description}`}`,
  fish: ({ value, description }) => `${value}${description && `\t${description}`}`,
};

/**
 * Without candidates, each script completes file names. Bash (3.2 or newer) splits words at
 * COMP_WORDBREAKS, so also at the colon of a key id: the script joins words that have no blank
 * between them, and strips from the candidates the part that readline keeps. Bash before 4.4 sorts
 * the candidates.
 */
const SCRIPTS = {
  bash: `_playbill() {
  local IFS=$'\\n' rest=$COMP_LINE blank word words=()
  for word in "\${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    blank=\${rest%%[![:space:]]*}
    rest=\${rest#"$blank"}
    rest=\${rest#"$word"}
    if [[ $blank || \${#words[@]} -eq 0 ]]; then words+=("$word"); else words[\${#words[@]}-1]+=$word; fi
  done
  COMPREPLY=($("$1" completion bash -- "\${words[@]:1}" 2>/dev/null))
  word=\${words[\${#words[@]}-1]}
  if [[ $word == *:* && $COMP_WORDBREAKS == *:* ]]; then COMPREPLY=("\${COMPREPLY[@]#"\${word%"\${word##*:}"}"}"); fi
}
complete -o default -o nosort -F _playbill playbill 2>/dev/null || complete -o default -F _playbill playbill`,
  zsh: `#compdef playbill
_playbill() {
  local -a lines
  lines=(\${(f)"$("\${words[1]}" completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( \${#lines} )); then _describe 'what may come next' lines; else _files; fi
}
if [ "$funcstack[1]" = _playbill ]; then _playbill "$@"; else compdef _playbill playbill; fi`,
  fish: `function __playbill_complete
  set -l words (commandline -opc)
  set -l typed (commandline -ct)
  set -l lines ($words[1] completion fish -- $words[2..-1] "$typed" 2>/dev/null)
  if test (count $lines) -gt 0
    printf '%s\\n' $lines
  else
    __fish_complete_path "$typed"
  end
end
complete -f -a '(__playbill_complete)' -c playbill`,
};

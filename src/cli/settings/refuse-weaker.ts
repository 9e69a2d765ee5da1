// Refuses a build that would publish less than the current release has, only because nothing says
// how much: one typed by hand, without the settings of the builds that a schedule starts.

import type { Manifest } from '../../contract/manifest.ts';
import { AppError } from '../../errors.ts';
import { durationText } from '../output/terminal.ts';
import { SETTINGS_FILE, type AppliedSettings } from './applied-settings.ts';
import { flagOf, SETTINGS, type Setting } from './settings.ts';

/** A check of the current release. @throws AppError settings-weaker */
export function refuseWeaker({ file, inForce }: AppliedSettings): (current: Manifest) => void {
  const { horizon, precompress } = SETTINGS;
  const isUnsaid = (setting: Setting): boolean => inForce.get(setting)?.source.kind === 'default';
  return (current) => {
    const weaker: (readonly [setting: Setting, had: string])[] = [];
    if (isUnsaid(horizon) && current.horizonSeconds > Number(inForce.get(horizon)?.value))
      weaker.push([horizon, durationText(current.horizonSeconds)]);
    if (isUnsaid(precompress) && current.precompress.length > 0)
      weaker.push([precompress, current.precompress.toReversed().join(',')]);
    if (weaker.length === 0) return;
    const had = weaker.map(([setting, text]) => `${flagOf(setting)} ${text}`).join(' ');
    const preset = weaker.map(([setting]) => `${flagOf(setting)} ${setting.preset}`).join(' ');
    const message = `expected as much as the current release has, ${had}, found only the defaults, ${preset}`;
    const hint = `type ${had} to keep it, or ${preset} to mean it; once for all, in ${file?.path ?? SETTINGS_FILE}`;
    throw new AppError('settings-weaker', message, hint);
  };
}

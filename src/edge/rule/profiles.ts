// The signature profiles that a deployment may turn on.

import type { RuleSettings } from './profile.ts';
import { rfc9421 } from './rfc9421.ts';
import type { SettingsFile } from './settings.ts';

/** Settings with the one profile that there is. */
export const withProfiles = (file: SettingsFile): RuleSettings => Object.assign({ profiles: [rfc9421] }, file);

// The sheet that `?` opens: a list of keys, and a switch that turns off single-key shortcuts.

import type { VNode } from 'preact';
import { Sheet } from './sheet.tsx';

const KEYS = [
  ['J', 'the next change'],
  ['K', 'the previous change'],
  ['Space', 'play, pause'],
  ['V', 'list, cards, or map'],
  ['H', 'health of the front'],
  ['C', 'keep this instant, to compare with another'],
  ['/', 'find a product'],
  ['?', 'this list'],
  ['← →', 'on the slider: a minute'],
  ['Page ↑ ↓', 'on the slider: a change'],
  ['Home End', 'on the slider: its start, its end'],
  ['↑ ↓', 'in the list and on the map: another row'],
  ['← →', 'on the map: another session'],
] as const;

interface HelpProps {
  readonly isOn: boolean;
  readonly onSwitch: (isOn: boolean) => void;
  readonly onClose: () => void;
}

export function Help({ isOn, onSwitch, onClose }: HelpProps): VNode {
  return (
    <Sheet title="Keys" onClose={onClose}>
      <dl class="keys">
        {KEYS.map(([key, what]) => (
          <div key={what}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label class="switch">
        <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => onSwitch(currentTarget.checked)} />
        <span>Single keys work anywhere on the page</span>
      </label>
    </Sheet>
  );
}

// When things play: rhythms by name, in dates and wall times of the venue; schedule.ts says how a
// line reads.

import type { Schedule } from './schedule.ts';

export const schedules = {
  repertoire: { every: 9, days: '234567', at: '19:00', weekend: '18:00', minutes: 160, seats: 420, opensBefore: 40 },
  chamber: { every: 6, days: '34567', at: '19:30', minutes: 95, seats: 90, opensBefore: 30 },
  run: { every: 2, days: '234567', until: 24, at: '20:00', weekend: '15:00 20:00', minutes: 130, seats: 640 },
  opera: { every: 11, at: '19:00', weekend: '12:00 18:00', minutes: 190, seats: 1100, opensBefore: 45 },
  concert: { every: 13, at: '19:00', minutes: 110, seats: 520 },
  once: { every: 60, from: 1, at: '20:00', minutes: 120, seats: 900 },
  midnight: { every: 4, at: '00:00', minutes: 70, seats: 80 },
  matinee: { until: 45, at: '', weekend: '11:00 14:00', minutes: 55, seats: 210 },
  dome: { days: '234567', until: 12, at: '12:00 15:00', weekend: '11:00 13:00 15:00 17:00', minutes: 45, seats: 64 },
  slots15: { from: -1, until: 4, at: '10:00-18:00/15', minutes: 60, seats: 12, salesEnd: 15 },
  slots30: { days: '234567', from: -1, until: 7, at: '10:00-18:00/30', minutes: 90, seats: 40, salesEnd: 45 },
  evening30: { from: -1, until: 6, at: '16:00-22:30/30', minutes: 90, seats: 60, salesEnd: 30 },
  deck: { from: -1, until: 5, at: '10:00-22:00/30', minutes: 40, seats: null, salesEnd: 30 },
  walk: { every: 3, at: '11:00', weekend: '11:00 16:00', minutes: 120, seats: 20, salesEnd: -60, untimed: true },
  cruise: { every: 2, until: 30, at: '18:30 20:30', minutes: 75, seats: 140, salesEnd: -15 },
  standup: { every: 4, at: '20:00', weekend: '20:00 22:30', minutes: 80, seats: 110 },
  clubNight: { at: '23:00 02:00', until: 30, minutes: 120, seats: 300 },
  smallHours: { days: '67', at: '03:30', minutes: 120, seats: 60 },
  exhibition: { every: 30, from: -29, until: 0, at: '10:00', minutes: 480, seats: null, dates: 90 },
  lecture: { every: 10, at: '19:30', minutes: 80, seats: 120 },
  festivalNow: { from: -2, until: 2, at: '11:00', minutes: 720, seats: 5000, salesEnd: 660 },
  festivalLater: { from: 27, until: 29, at: '12:00', minutes: 600, seats: 3000, salesEnd: 480 },
  lastMonth: { every: 2, from: -12, until: -2, at: '19:00', minutes: 120, seats: 300 },
  none: { at: '', minutes: 0, seats: null },
} as const satisfies Readonly<Record<string, Schedule>>;

export type ScheduleName = keyof typeof schedules;

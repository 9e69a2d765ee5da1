// The basic types that all schemas of the contract share: instants, digests, codes.

import * as z from 'zod';
import { HELD_REASONS, type HeldReason } from './held-reasons.ts';
import { FRONT_CODE } from './front-code.ts';

/**
 * The schema version of pointers, key rings and runs that this tool writes. It refuses to read
 * newer ones.
 */
export const TREE_SCHEMA = 1;

export const instantText = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/)
  .meta({ description: 'Instant, UTC, whole seconds', examples: ['2026-05-01T09:00:00Z'] });

export const frontCode = z
  .string()
  .regex(FRONT_CODE)
  .meta({ description: 'Code of a front: the value of X-Front', examples: ['moscow'] });

export const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/);

export const releaseId = z.string().regex(/^[0-9a-f]{16}$/);

export const count = z.int().min(0);

/** The id of a session. */
export const rowId = z.union([z.int(), z.string()]);

/** Why a front is held back. */
export const heldReason = z.enum(Object.keys(HELD_REASONS) as HeldReason[]);

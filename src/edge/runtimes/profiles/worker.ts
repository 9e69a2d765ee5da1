// The profile of a fetch handler. A bundle for other profiles has another module of this folder in its place (deploy/bundle.ts).

export { rfc9421 as profile } from '../../rule/rfc9421.ts';

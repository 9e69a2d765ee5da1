// The module in the deployed folder that the operator fills in.

declare module 'playbill-secrets.js' {
  const secrets: import('./request.ts').NginxSecrets;
  export default secrets;
}

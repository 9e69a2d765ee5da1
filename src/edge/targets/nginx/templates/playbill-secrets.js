// The secrets of hmac keys, by their names in the key ring. Fill them in between the quotes; README.md says more.
export default () => ({{secrets}});

/** Imports a file as text, by build.js and vitest. */
declare module '*?raw' {
  const text: string;
  export default text;
}

/** A file as text (build.js, and vitest does the same). */
declare module '*?raw' {
  const text: string;
  export default text;
}

declare module 'postject' {
  export function inject(
    file: string,
    name: string,
    content: Buffer,
    options: { sentinelFuse: string; machoSegmentName: string },
  ): Promise<void>;
}

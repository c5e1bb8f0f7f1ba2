import { expect, test } from 'vitest';
import { baseImages } from '../../src/app/docker-image.ts';

test.each([
  ['one', 'FROM debian:bookworm\nRUN true', ['debian:bookworm']],
  ['in lower case', 'from ghcr.io/me/app', ['ghcr.io/me/app']],
  ['its own stages are not images', 'FROM a.io/x AS base\nFROM base\nFROM BASE as two\nFROM two', ['a.io/x']],
  ['scratch is not an image', 'FROM scratch', []],
  ['with a platform', 'FROM --platform=linux/amd64 a.io/x AS y\nFROM b.io/z', ['a.io/x', 'b.io/z']],
  ['with several flags', 'FROM --platform=$TARGET --x=y a.io/x', ['a.io/x']],
  ['named by an argument', 'ARG IMAGE=a.io/x\nFROM $IMAGE\nFROM $\u007bIMAGE}:1', ['a.io/x', 'a.io/x:1']],
  ['named by an argument without a value are not known', 'ARG IMAGE\nFROM $IMAGE', []],
  ['after blanks and comments', '# FROM c.io/no\n  FROM a.io/x\n', ['a.io/x']],
  ['with Windows line ends', 'FROM a.io/x AS b\r\nFROM b\r\n', ['a.io/x']],
  ['no image', 'RUN echo FROM', []],
])('the images of a Dockerfile: %s', (_, dockerfile, images) => {
  expect(baseImages(dockerfile)).toEqual(images);
});

/** The issuer (`iss`) of an emulator's tokens, by which clients tell them from those of the platform. */
export const emulatorIssuer = 'gantry-emulator';

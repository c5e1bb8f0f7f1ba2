# The formula of a tap. `npm run release` replaces the words in braces.
class Gantry < Formula
  desc "{description}"
  homepage "{homepage}"
  version "{version}"
  license "MIT"

  on_macos do
    on_arm do
      url "{releases}/gantry-{version}-darwin-arm64.tar.gz"
      sha256 "{darwin-arm64}"
    end
    on_intel do
      url "{releases}/gantry-{version}-darwin-x64.tar.gz"
      sha256 "{darwin-x64}"
    end
  end

  on_linux do
    on_arm do
      url "{releases}/gantry-{version}-linux-arm64.tar.gz"
      sha256 "{linux-arm64}"
    end
    on_intel do
      url "{releases}/gantry-{version}-linux-x64.tar.gz"
      sha256 "{linux-x64}"
    end
  end

  def install
    bin.install "gantry"
    man1.install "gantry.1"
    generate_completions_from_executable(bin/"gantry", "completion", shells: [:bash, :zsh, :fish])
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/gantry --version").strip
    system bin/"gantry", "init", "my-app"
    system bin/"gantry", "check", "-C", "my-app"
  end
end
